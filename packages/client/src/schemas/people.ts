import { z } from 'zod'
import type { ReadOf } from './lenient.ts'
import { saidIn } from './said.ts'
import { date, text, usState } from './text.ts'

/** The four values that the service accepts (specification, Patient). */
export const genders = ['male', 'female', 'other', 'not_specified'] as const

const ofAddress = saidIn('specification, Address')
const maybe = z.string().nullish()
const country = ofAddress('Country; a US value is assumed if omitted.', { default: 'US' })

/** A complete address (specification, Address: required for a patient). */
export const PatientAddress = z.strictObject({
  street: text.meta(ofAddress('House number and street; not empty.')),
  street_line_2: maybe.meta(ofAddress('Flat, suite or unit, or null.', { examples: ['Unit 2'] })),
  city: text.meta(ofAddress('Town or city; not empty.')),
  state_province: usState.meta(ofAddress('Two letters of a US state, the federal district or a territory.')),
  zip_postal_code: text.meta(ofAddress('Postal code, as text so that it keeps leading zeros. Not empty.')),
  country: text.optional().meta(country),
})

/** An address with all fields optional (specification, Address: a provider's). */
export const PartialAddress = z.strictObject({
  street: maybe.meta(ofAddress('House number and street.')),
  street_line_2: maybe.meta(ofAddress('Suite or floor.', { examples: ['Suite 200'] })),
  city: maybe.meta(ofAddress('Town or city.')),
  state_province: maybe.meta(ofAddress('State; any text here, unlike that of a patient.')),
  zip_postal_code: maybe.meta(ofAddress('Postal code, as text so that it keeps leading zeros.')),
  country: maybe.meta(country),
})

const ofPatient = saidIn('specification, Patient')

/** The patient of a BV, PA or clinical qualification (specification, Patient). `mrn` is on the PA resource, so it is accepted here too. */
export const PatientRequest = z.strictObject({
  internal_id: text.meta(
    ofPatient(
      'Your own id of the patient. Use the same value in BVs and PAs; it does not prevent duplicates. Not empty.',
    ),
  ),
  first_name: text.meta(ofPatient('Given name; not empty.')),
  last_name: text.meta(ofPatient('Family name; not empty.')),
  gender: z.enum(genders).meta(ofPatient("As in the payer's records; `not_specified` if unknown.")),
  date_of_birth: date.meta(ofPatient('Day of birth, YYYY-MM-DD.')),
  address: PatientAddress.meta(ofPatient('Home address; complete.')),
  phone: maybe.meta(ofPatient('Telephone number, or null.')),
  email: z
    .email()
    .optional()
    .meta(
      ofPatient('E-mail address; a malformed one is refused with 422.', { examples: ['testa.sample@example.com'] }),
    ),
  mrn: text
    .optional()
    .meta(ofPatient('Medical record number, as the PA shows it. Not empty.', { examples: ['MRN-0001'] })),
})
export type PatientRequest = z.infer<typeof PatientRequest>
export type Patient = ReadOf<typeof PatientRequest>

const ofProvider = saidIn('specification, Provider')

/** The prescriber (specification, Provider). The address is optional in a BV and a clinical qualification, for which the specification does not state it. */
export const ProviderRequest = z.strictObject({
  internal_id: text
    .optional()
    .meta(ofProvider('Your own id of the prescriber. Not empty.', { examples: ['provider-1'] })),
  first_name: text.meta(ofProvider('Given name; not empty.')),
  last_name: text.meta(ofProvider('Family name; not empty.')),
  npi: text.meta(
    ofProvider(
      'National Provider Identifier, as text. Not empty; checked against the registry if outreach is requested.',
    ),
  ),
  address: PartialAddress.optional().meta(ofProvider('Practice address; every field is optional.')),
  phone: maybe.meta(ofProvider('Telephone number, or null.', { examples: ['5555550102'] })),
  fax: text.optional().meta(ofProvider('Fax number; required if `provider_outreach` is enabled. Not empty.')),
  email: z
    .email()
    .optional()
    .meta(ofProvider('E-mail address; a malformed one is refused with 422. PA and clinical qualification return it.')),
  in_network_payers: z
    .array(z.unknown())
    .optional()
    .meta(ofProvider('Payers whose network includes the provider; a BV returns it. The items are not documented.')),
})
export type Provider = ReadOf<typeof ProviderRequest>

/** The prescriber of a PA: the address must be there (specification, Provider). */
export const PrescriberRequest = ProviderRequest.extend({
  address: PartialAddress.meta(
    ofProvider('Practice address. A PA requires the object, although every field is optional.'),
  ),
})

export const DiagnosisRequest = z.strictObject({
  code: text.meta(saidIn('specification, Diagnosis')('Code of ICD-10; not empty.')),
})
export const diagnosesRequest = z.array(DiagnosisRequest)
