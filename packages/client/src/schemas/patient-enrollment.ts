import { z } from 'zod'
import { saidIn } from './said.ts'
import { date, dateTime, fileUrl, jsonObject, text } from './text.ts'

const said = saidIn('specification, Endpoint rules')
const words = z.string().optional()

const assets = (type: string) =>
  z
    .array(
      z.strictObject({
        type: text.meta(said('Type of the file; not empty.', { examples: [type] })),
        url: fileUrl.meta(
          said('Download URL of the file, http or https.', {
            examples: ['https://files.sandbox.invalid/one.pdf'],
          }),
        ),
        name: text.meta(said('Name of the file; not empty.', { examples: ['one.pdf'] })),
      }),
    )
    .optional()

const Address = z.strictObject({
  street: words.meta(said('House number and street.')),
  city: words.meta(said('Town or city.')),
  state_province: words.meta(said('State.')),
  zip_postal_code: words.meta(said('Postal code, as text.')),
  country: words.meta(said('Country.')),
})

const Insurance = z.strictObject({
  data: z
    .strictObject({
      group_number: words.meta(said('Group of the plan.', { examples: ['G-0001'] })),
      payer: words.meta(said('Name of the payer.')),
      membership_number: words.meta(said('Number of the member.')),
      rx_bin: words.meta(said('Digits that route pharmacy claims (BIN); not checked here.')),
      rx_group: words.meta(said('Group of the pharmacy benefit.', { examples: ['RX0001'] })),
    })
    .optional()
    .meta(said('The insurance in words and numbers.')),
  assets: assets('insurance_card_front').meta(said('Pictures of the insurance card.')),
})

/** Body of POST /patient-enrollment. The specification gives only its shape (Endpoint rules), without required fields, so only the patient's name is required. */
export const PatientEnrollmentRequest = z.strictObject({
  patient: z
    .strictObject({
      first_name: text.meta(said('Given name; not empty.')),
      last_name: text.meta(said('Family name; not empty.')),
      date_of_birth: date.optional().meta(said('Day of birth, YYYY-MM-DD.')),
      address: Address.optional().meta(said('Home address; every field is optional.')),
      insurance_details: Insurance.optional().meta(said('Insurance of the patient.')),
      email: z
        .email()
        .optional()
        .meta(said('E-mail address; a malformed one is refused with 422.', { examples: ['testa.sample@example.com'] })),
      phone: words.meta(said('Telephone number.', { examples: ['5555550100'] })),
      metadata: z
        .strictObject({ patient_id: text.optional().meta(said('Your own id of the patient; not empty.')) })
        .optional()
        .meta(said('Link to your own records of the patient.')),
    })
    .meta(said('Who enrolls.')),
  programId: text
    .optional()
    .meta(said('Program of the enrollment; not empty. The only name that is not in snake_case.')),
  prescription: z
    .strictObject({
      drug_name: text.optional().meta(said('Name of the drug; not empty.')),
      dosage: words.meta(said('Strength of one unit.')),
      directions: words.meta(said('Directions for the patient.')),
      extra: jsonObject.optional().meta(said('Further data of the prescription, as a JSON object.')),
    })
    .optional()
    .meta(said('The prescription.')),
  evidence: z
    .array(
      z.strictObject({
        type: text.meta(said('Type of the evidence; not empty.', { examples: ['visit_note'] })),
        date_created: dateTime
          .optional()
          .meta(said('Time of creation; the zone may be omitted.', { examples: ['2026-02-20T10:30:00Z'] })),
        content: jsonObject.optional().meta(said('The evidence, as a JSON object of any shape.')),
        assets: assets('visit_note').meta(said('Files of the evidence.')),
      }),
    )
    .optional()
    .meta(said('Clinical facts.')),
  metadata: z
    .strictObject({ enrollment_id: text.optional().meta(said('Your own id of the enrollment; not empty.')) })
    .optional()
    .meta(said('Link to your own records of the enrollment.')),
})
export type PatientEnrollmentRequest = z.infer<typeof PatientEnrollmentRequest>
