import { z } from 'zod'
import { transferErrorCodes } from 'pawl-client/schemas/outcome'

const text = (meaning: string) => z.string().nullable().describe(meaning)
const whole = (meaning: string) => z.number().nullable().describe(meaning)

const TransferAttempt = z.object({
  timestamp: text('When the attempt was made.'),
  pharmacy_ncpdp_id: text('NCPDP id of the pharmacy of the attempt.'),
})

const ConfirmationAttempt = z.object({
  timestamp: text('When the pharmacy was asked.'),
  outcome: text('`success` or `failed`.'),
})

const Prescription = z.object({
  drug_name: text('Name of the drug; null if prescribed by NDC only.'),
  strength: text('Its strength.'),
  dose_form: text('Its dose form.'),
  route_of_administration: text('How it is given.'),
  ndc: text('National Drug Code; null if prescribed by name.'),
  quantity: whole('How much is prescribed.'),
  quantity_unit_of_measure: text('Unit of the quantity, an NCIt code or term; null where none was given.'),
  days_supply: whole('Days for which the quantity lasts.'),
  directions: text('The directions for the patient.'),
  prescription_date: text('When it was prescribed.'),
})

const Provider = z.object({
  first_name: text('First name of the prescriber.'),
  last_name: text('Last name of the prescriber.'),
  npi: text('National Provider Identifier of the prescriber.'),
})

const Patient = z.object({
  first_name: text('First name of the patient.'),
  last_name: text('Last name of the patient.'),
  date_of_birth: text('Birth date of the patient, as YYYY-MM-DD.'),
  phone: text('Telephone number of the patient.'),
})

const Outcome = z.object({
  result: text('Result of the PA, such as `Approved`.'),
  detail_code: text('Why, as a code, such as `existing_approval`; codes that are not documented may come.'),
  authorization_start_date: text('First day of the approval; null where there is none or the payer named none.'),
  authorization_expiration: text('Last day of the approval; null where there is none or the payer named none.'),
})

/** The state of one transfer, under the service's field names; null for fields that the service did not send. */
export const TransferData = z.object({
  prior_authorization_id: z.string().describe('Id of the PA, which has one transfer: the key of the transfer.'),
  prescription_message_id: text('Id of the message that brought the prescription to the service.'),
  status: text(
    '`in_progress`, `awaiting_provider_response`, `completed`, `cancelled` or `error`; `superseded`, to the pharmacy that lost the transfer to another; a status that the service adds comes as it is.',
  ),
  confirmed: z.boolean().nullable().describe('Whether the pharmacy confirmed that it has the prescription.'),
  error_code: z
    .enum(transferErrorCodes)
    .nullable()
    .describe('Why the transfer failed; `other` for a code that is not documented, null unless it failed.'),
  pharmacy_ncpdp_id: text(
    'NCPDP id of the pharmacy that the last attempt went to; before the first attempt, of the preferred one. PHARMACY_ROUTES goes by it.',
  ),
  transfer_attempts: z.array(TransferAttempt).describe('Every attempt to transfer the prescription, oldest first.'),
  confirmation_attempts: z
    .array(ConfirmationAttempt)
    .describe('Every attempt to have the transfer confirmed, oldest first.'),
  prescription: Prescription.describe('The drug, with its quantity and directions.'),
  provider: Provider.describe('The prescriber.'),
  patient: Patient.describe('The patient: data to match an arriving prescription by, and a number to call.'),
  outcome: Outcome.describe('Result of the PA and its period of approval.'),
})
export type TransferData = z.infer<typeof TransferData>

/** An empty notice with which `pawl check` tries address and secret. */
export interface TestNotice {
  id: string
  type: 'prescription_transfer.test'
  timestamp: string
}

/** Notice of one state of one transfer. docs/prescription-transfer-notice.schema.json is generated from it. */
export const TransferNotice = z
  .object({
    id: z
      .string()
      .describe(
        'Same for every retry of one state, new for every state, also for one that comes back. Use it to drop copies.',
      ),
    type: z.literal('prescription_transfer.updated').describe('Always `prescription_transfer.updated`.'),
    sequence: z
      .int()
      .min(1)
      .describe('Rises with each notice of one transfer, with gaps: a notice with a lower number is older.'),
    timestamp: z.iso
      .datetime()
      .describe(
        'Time of the state, not of sending: that of the newest attempt if it is new, else when pawl first saw the state.',
      ),
    data: TransferData.describe('The state.'),
    case_url: text(
      'Link to the case for people, made of CASE_URL; null where that is not set, and where the transfer was lost.',
    ),
  })
  .meta({ title: 'Notice of a prescription transfer' })
export type TransferNotice = z.infer<typeof TransferNotice>
