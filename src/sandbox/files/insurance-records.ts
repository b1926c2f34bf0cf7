import { z } from 'zod'
import { type InsuranceCardRequest, InsuranceContentRequest } from '../../resources/requests/people.ts'
import type { Random } from '../platform/random.ts'
import { testValues } from '../platform/test-values.ts'
import { pathOfUpload } from './held-file.ts'
import type { ReadFile } from './request-files.ts'

type Content = InsuranceContentRequest
type Card = z.infer<typeof InsuranceCardRequest>

/** One insurance document as a resource shows it (specification, Insurance record). */
export const InsuranceRecord = z.strictObject({
  scanned_content: z.union([InsuranceContentRequest, z.strictObject({ error: z.string() })]),
  discrete_content: InsuranceContentRequest,
  url: z.string(),
})
export type InsuranceRecord = z.infer<typeof InsuranceRecord>

/** The insurance records of a request, whose cards are `files`. Cards are not read: their "scanned" content is what the client supplied, else invented. */
export function insuranceRecords(
  request: { insurance?: readonly Card[] | undefined; insurance_content?: Content | undefined },
  resourceId: string,
  random: Random,
  files: readonly Pick<ReadFile, 'format'>[] = [],
): InsuranceRecord[] {
  const discrete = request.insurance_content ?? {}
  const url = (index: number) => pathOfUpload(resourceId, 'insurance', index, files[index])
  if (request.insurance === undefined) return [{ scanned_content: {}, discrete_content: discrete, url: url(0) }]
  return request.insurance.map((card, index) => ({
    scanned_content: isMarkedCard(card, testValues.unreadableCard)
      ? { error: 'The insurance card could not be read.' }
      : (request.insurance_content ?? inventedCard(random.fork(`${resourceId}/card`))),
    discrete_content: discrete,
    url: url(index),
  }))
}

/** Whether the bytes of a card contain the text of a test value. */
export function isMarkedCard({ file_content }: Card, mark: string): boolean {
  return Buffer.from(file_content, 'base64').includes(mark)
}

function inventedCard(random: Random): Content {
  return {
    member_number: `SBX${random.digits(9)}`,
    rx_bin: random.digits(6),
    rx_pcn: 'SANDBOX',
    rx_group: `RX${random.digits(4)}`,
    payer_name: 'Sample Health Plan',
    plan_name: 'Sample PPO',
  }
}
