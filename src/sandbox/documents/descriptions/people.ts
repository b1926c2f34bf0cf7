import { fieldTexts } from './field-text.ts'

const name = { first_name: 'Given name; not empty.', last_name: 'Family name; not empty.' }

export const Patient = fieldTexts('specification, Patient', {
  internal_id:
    'Your own id of the patient. Use one value per patient in BVs and PAs alike; it does not prevent duplicates. Not empty.',
  ...name,
  gender: 'As the payer has it; `not_specified` where it is not known.',
  date_of_birth: { text: 'Day of birth, YYYY-MM-DD.' },
  address: 'Where the patient lives; complete.',
  phone: 'Telephone number, or null.',
  email: { text: 'E-mail address; a malformed one is refused with 422.', example: 'testa.sample@example.com' },
  mrn: { text: 'Medical record number, as the PA shows it. Not empty.', example: 'MRN-0001' },
})

const country = 'Country; a US value is assumed where it is left out.'

export const PatientAddress = fieldTexts('specification, Address', {
  street: 'House number and street; not empty.',
  street_line_2: { text: 'Flat, suite or unit, or null.', example: 'Unit 2' },
  city: 'Town or city; not empty.',
  state_province: 'Two letters of a US state, the federal district or a territory.',
  zip_postal_code: 'Postal code, as text so that it keeps leading zeros. Not empty.',
  country: { text: country, default: 'US' },
})

export const ProviderAddress = fieldTexts('specification, Address', {
  street: 'House number and street.',
  street_line_2: { text: 'Suite or floor.', example: 'Suite 200' },
  city: 'Town or city.',
  state_province: 'State; any text here, unlike that of a patient.',
  zip_postal_code: 'Postal code, as text so that it keeps leading zeros.',
  country: { text: country, default: 'US' },
})

const person = fieldTexts('specification, Provider', {
  internal_id: { text: 'Your own id of the prescriber. Not empty.', example: 'provider-1' },
  ...name,
  npi: 'National Provider Identifier, as text. Not empty; checked against the registry where outreach is asked for.',
  phone: { text: 'Telephone number, or null.', example: '5555550102' },
  fax: 'Fax number; needed where `provider_outreach` is enabled. Not empty.',
  email: 'E-mail address; a malformed one is refused with 422. The PA and the clinical qualification show it again.',
  in_network_payers: 'Payers whose network the provider is in; a BV shows it. The items are not documented.',
})

export const Provider = {
  ...person,
  ...fieldTexts('specification, Provider', { address: 'Where the provider practises; every field of it is optional.' }),
}

export const Prescriber = {
  ...person,
  ...fieldTexts('specification, Provider', {
    address: 'Where the prescriber practises. A PA needs the object, although every field of it is optional.',
  }),
}

export const Diagnosis = fieldTexts('specification, Diagnosis', { code: 'Code of ICD-10; not empty.' })

export const InsuranceCard = fieldTexts('specification, Insurance card upload item', {
  file_content: {
    text: 'One side of the card as Base64; the file itself below 4 MiB (4,194,304 bytes): JPEG, PNG, TIFF, BMP, HEIC or a PDF of one page. Addresses are not taken.',
    example: 'iVBORw0KGgo=',
  },
})

export const InsuranceContent = fieldTexts('specification, insurance_content', {
  member_number: 'Number of the member. Best together with `rx_bin`, `rx_pcn` and `rx_group`. Not empty.',
  rx_bin: 'Six digits that route pharmacy claims (BIN).',
  rx_pcn: 'Processor control number.',
  rx_group: 'Group of the pharmacy benefit; another one than `group_number`.',
  payer_name:
    'Name of the payer, in any words. Send it and `plan_name` where a code of the pharmacy benefit is missing.',
  plan_name: 'Name of the plan.',
  member_name: { text: 'Name on the card.', example: 'Testa Sample' },
  group_number: { text: 'Group of the plan.', example: 'G-0001' },
  client_name: { text: 'The employer, or whoever else bought the plan.', example: 'Sample Works' },
})

export const InsuranceRecord = fieldTexts('specification, Insurance record', {
  scanned_content: 'What was read from the card, or `error` alone where it could not be read.',
  'scanned_content.error': {
    text: 'Why the card could not be read.',
    example: 'The insurance card could not be read.',
  },
  discrete_content: 'What the request gave in `insurance_content`; may be empty.',
  url: { text: 'Where the stored document is; signed, for about 15 minutes.', format: 'uri' },
})
