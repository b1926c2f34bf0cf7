import type { z } from 'zod'
import type {
  InsuranceCardRequest,
  InsuranceContentRequest,
  ScannedContent,
  ShownInsurance,
} from 'pawl-client/schemas/insurance'
import type { Random } from '../platform/random.ts'
import { testValues } from '../platform/test-values.ts'
import { pathOfUpload } from './served-file.ts'
import type { ReadFile } from './request-files.ts'

type Content = InsuranceContentRequest
type Card = z.infer<typeof InsuranceCardRequest>

/** Insurance records of a request with the cards in `files`. "Scanned" content is the client's own data, else invented; absent without a card. */
export function insuranceRecords(
  request: { insurance?: readonly Card[] | undefined; insurance_content?: Content | undefined },
  resourceId: string,
  random: Random,
  files: readonly Pick<ReadFile, 'format'>[] = [],
): ShownInsurance[] {
  const discrete = request.insurance_content ?? {}
  const url = (index: number) => pathOfUpload(resourceId, 'insurance', index, files[index])
  if (request.insurance === undefined) return [{ scanned_content: asRead({}), discrete_content: discrete, url: url(0) }]
  return request.insurance.map((card, index) => ({
    scanned_content: isMarkedCard(card, testValues.unreadableCard)
      ? { error: 'The insurance card could not be read.' }
      : asRead(request.insurance_content ?? inventedCard(random.fork(`${resourceId}/card`))),
    discrete_content: discrete,
    url: url(index),
  }))
}

/** Whether the bytes of a card contain a test value. */
export function isMarkedCard({ file_content }: Card, mark: string): boolean {
  return Buffer.from(file_content, 'base64').includes(mark)
}

function asRead(content: Content): ScannedContent {
  const { client_name = null, group_number = null, member_name = null, member_number = null } = content
  const { payer_name = null, plan_name = null, rx_bin = null, rx_group = null, rx_pcn = null } = content
  return {
    client_name,
    group_number,
    member_name,
    member_number,
    payer_name,
    plan_name,
    rx_bin,
    rx_group,
    rx_pcn,
  }
}

function inventedCard(random: Random): Content {
  return {
    member_number: `SBX${random.digits(9)}`,
    rx_bin: random.digits(6),
    rx_pcn: 'SANDBOX',
    rx_group: `RX${random.digits(4)}`,
    payer_name: 'Sample Health Plan',
    plan_name: 'Sample PPO',
    member_name: 'Testa Sample',
    group_number: `G-${random.digits(4)}`,
    client_name: 'Sample Works',
  }
}
