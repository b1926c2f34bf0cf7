import type { InsuranceRecord } from '../../../../service/schemas/insurance.ts'
import { text } from './primitives.ts'

const contentFields = [
  'member_number',
  'rx_bin',
  'rx_pcn',
  'rx_group',
  'group_number',
  'payer_name',
  'plan_name',
  'member_name',
] as const

/** One insurance as the records of its card's sides tell it together. */
export type Insurance = Partial<Record<(typeof contentFields)[number], string>>

/**
 * The service keeps one record for each side of a card. What the client stated goes before what was read from a picture, earlier before later;
 * a record with another member number is another insurance, of which nothing is mixed in.
 */
export function insuranceOf(records: readonly InsuranceRecord[] | undefined): Insurance {
  const readings = (records ?? []).map(readRecord)
  const member = readings.find(({ member_number }) => member_number !== undefined)?.member_number
  const same = readings.filter(({ member_number }) => member_number === undefined || member_number === member)
  return same.reduceRight((merged, reading) => ({ ...merged, ...reading }), {})
}

/** The payer's name, wherever a record has it. */
export function payerName(records: readonly InsuranceRecord[] | undefined): string | undefined {
  return insuranceOf(records).payer_name
}

function readRecord({ discrete_content, scanned_content }: InsuranceRecord): Insurance {
  const insurance: Insurance = {}
  for (const field of contentFields) {
    const value = text(discrete_content?.[field]) ?? text(scanned_content?.[field])
    if (value !== undefined) insurance[field] = value
  }
  return insurance
}
