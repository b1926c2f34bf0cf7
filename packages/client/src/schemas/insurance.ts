import { z } from 'zod'
import type { ReadOf } from './lenient.ts'
import { saidIn } from './said.ts'
import { base64, bin, text } from './text.ts'

/** One side of an insurance card (specification, Insurance card upload item). */
export const InsuranceCardRequest = z.strictObject({
  file_content: base64.meta(
    saidIn('specification, Insurance card upload item')(
      'One side of the card as Base64; the file itself below 4 MiB (4,194,304 bytes): JPEG, PNG, TIFF, BMP, HEIC or a PDF of one page. URLs are not accepted.',
      { examples: ['iVBORw0KGgo='] },
    ),
  ),
})

const ofContent = saidIn('specification, insurance_content')
const words = z.string().optional()

/** Structured insurance; some combinations are preferred, none is required (specification, insurance_content). */
export const InsuranceContentRequest = z.strictObject({
  member_number: text
    .optional()
    .meta(ofContent('Number of the member. Best together with `rx_bin`, `rx_pcn` and `rx_group`. Not empty.')),
  rx_bin: bin.optional().meta(ofContent('Six digits that route pharmacy claims (BIN).')),
  rx_pcn: words.meta(ofContent('Processor control number.')),
  rx_group: words.meta(ofContent('Group of the pharmacy benefit; differs from `group_number`.')),
  payer_name: words.meta(
    ofContent('Name of the payer, in any words. Send it and `plan_name` if a code of the pharmacy benefit is missing.'),
  ),
  plan_name: words.meta(ofContent('Name of the plan.')),
  member_name: words.meta(ofContent('Name on the card.', { examples: ['Testa Sample'] })),
  group_number: words.meta(ofContent('Group of the plan.', { examples: ['G-0001'] })),
  client_name: words.meta(ofContent('The employer or other buyer of the plan.', { examples: ['Sample Works'] })),
})
export type InsuranceContentRequest = z.infer<typeof InsuranceContentRequest>

/** The two ways to describe a patient's insurance; a request spreads them and requires at least one. */
export const insuranceFields = (said: ReturnType<typeof saidIn>) => ({
  insurance: z
    .array(InsuranceCardRequest)
    .min(1)
    .optional()
    .meta(
      said('Sides of the insurance card, one per item. This or `insurance_content` is required; both may be sent.'),
    ),
  insurance_content: InsuranceContentRequest.optional().meta(
    said('The insurance in words and numbers. This or `insurance` is required; alone it cannot be empty.'),
  ),
})

const ofRecord = saidIn('specification, Insurance record')
const read = (text: string, example: string) =>
  z
    .string()
    .nullable()
    .meta(ofRecord(`${text}, as read from the card; null if not on it.`, { examples: [example] }))

/** The content read from a card: nine fields, each null if not on the card (specification, Insurance record). */
export const ScannedContent = z.strictObject({
  client_name: read('The employer, or another buyer of the plan', 'Sample Works'),
  group_number: read('Group of the plan', 'G-0001'),
  member_name: read('Name of the member', 'Testa Sample'),
  member_number: read('Number of the member', 'SBX000000001'),
  payer_name: read('Name of the payer', 'Sample Health Plan'),
  plan_name: read('Name of the plan', 'Sample PPO'),
  rx_bin: read('Number that routes pharmacy claims (BIN)', '012345'),
  rx_group: read('Group of the pharmacy benefit', 'RX0001'),
  rx_pcn: read('Processor control number', 'SANDBOX'),
})
export type ScannedContent = z.infer<typeof ScannedContent>

/** One insurance document as a resource shows it (specification, Insurance record). */
export const ShownInsurance = z.strictObject({
  scanned_content: z
    .union([
      ScannedContent,
      z.strictObject({
        error: z
          .string()
          .meta(ofRecord('Why the card could not be read.', { examples: ['The insurance card could not be read.'] })),
      }),
    ])
    .meta(ofRecord('The content read from the card, always all nine fields; or only `error` if it could not be read.')),
  discrete_content: InsuranceContentRequest.meta(ofRecord('`insurance_content` of the request; may be empty.')),
  url: z.string().meta(ofRecord('URL of the stored document; signed, valid for about 15 minutes.', { format: 'uri' })),
})
export type ShownInsurance = z.infer<typeof ShownInsurance>
export type InsuranceRecord = ReadOf<typeof ShownInsurance>
