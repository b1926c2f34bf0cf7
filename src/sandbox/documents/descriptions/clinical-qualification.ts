import { type FieldTexts, fieldTexts, within } from './field-text.ts'

const place = 'specification, Clinical qualification create request'

const drug = fieldTexts(place, {
  drug_name: 'Name of the drug; not empty.',
  strength: 'Strength of one unit, as `10 mg`.',
  dose_form: 'In which form it is given, as `Injection, solution`.',
  route_of_administration: { text: 'How it enters the body.', example: 'subcutaneous' },
  directions: { text: 'How the patient is to use it.', example: 'once a week' },
  quantity: 'How many units are dispensed; whole, above 0.',
  days_supply: 'How many days they last; whole, above 0.',
})

const submitted = {
  ...fieldTexts(place, {
    patient: 'Whose qualification is asked for.',
    provider: 'Who prescribes.',
    drugs: 'The drugs; each gets a result of its own. At least one.',
    diagnoses: 'Why the drugs are prescribed.',
    evidence: 'Clinical facts, as JSON objects.',
    questionnaires: 'Questions with their answers.',
    visit_notes: 'Notes of visits.',
  }),
  ...within('drugs[]', drug),
}

export const ClinicalQualificationRequest: FieldTexts = {
  ...submitted,
  ...fieldTexts(place, { insurance: 'Sides of the insurance card, each an item.' }),
}

export const ClinicalQualification: FieldTexts = {
  ...submitted,
  ...within('results[].drug', drug),
  ...fieldTexts('specification, Clinical qualification resource', {
    id: 'Id of the clinical qualification: `cq_` and letters and digits.',
    object: 'Tells the kind of resource.',
    insurance: 'The insurance as read from the card; empty without one.',
    results: 'One for each drug, in the order of `drugs`.',
    'results[].drug': 'The drug as submitted.',
    'results[].unqualified_reasons': 'Why not; empty unless the status is `unqualified`.',
    'results[].unqualified_reasons[].description': {
      text: 'One reason, for people to read.',
      example: 'The criteria of the plan are not met.',
    },
  }),
  ...fieldTexts('supplement, Statuses', {
    'results[].status':
      'Whether the patient meets the criteria of the plan: `pending` until it is evaluated, `unknown` where the plan gives no answer.',
  }),
}
