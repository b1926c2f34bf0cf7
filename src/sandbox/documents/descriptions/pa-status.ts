import { fieldTexts } from './field-text.ts'
import { meaningsIn, paStatusMeanings } from '../state-texts.ts'

const place = 'supplement, Other endpoints; unreleased'

export const PaStatusRequest = fieldTexts(place, {
  patient: 'Whose PAs are looked for.',
  provider: 'Who prescribes.',
  insurance: 'Sides of the insurance card, each an item. This or `insurance_content` is needed.',
  insurance_content: 'The insurance in words and numbers. This or `insurance` is needed; alone it cannot be empty.',
  drugs: 'The drugs whose PAs are looked for, by name or by NDC; all where it is left out.',
  'drugs[].name': 'Name of the drug; not empty.',
  'drugs[].ndc': {
    text: 'NDC: 11 digits with or without hyphens (5-4-2), or 10 digits with hyphens.',
    example: '12345-6789-01',
  },
})

export const PaStatusCheck = fieldTexts(place, {
  id: 'Id of the status check.',
  object: 'Tells the kind of resource.',
  status: `Where the check stands. ${meaningsIn(paStatusMeanings)}`,
  failure_reason: { text: 'Why the check failed; null unless it did.', example: 'payer_unreachable' },
  effective_processing_method: 'How the payer is asked: `instant` takes minutes, `standard` hours.',
  prior_authorizations: 'The PAs that were found. Null until the check is completed; empty where there are none.',
  'prior_authorizations[].status': 'What the payer says of the PA, in one word for all payers.',
  'prior_authorizations[].drug': 'The drug of the PA, by name or by NDC.',
  'prior_authorizations[].drug.name': 'Name of the drug.',
  'prior_authorizations[].drug.ndc': { text: 'NDC of the drug.', example: '12345-6789-01' },
  'prior_authorizations[].authorization_start_date': 'First day on which the PA holds, or null.',
  'prior_authorizations[].authorization_expiration': 'Last day on which the PA holds, or null.',
})
