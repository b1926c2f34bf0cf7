import type { InsuranceRecord } from 'pawl-client/schemas/insurance'
import { text } from '../../primitives.ts'

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

/** One insurance, merged from the records of both sides of its card. */
export type Insurance = Partial<Record<(typeof contentFields)[number], string>>

/**
 * Merges the service's records, one for each side of a card. Stated values come before values read from a picture, earlier before later. A record
 * with another member number is another insurance and is left out.
 */
export function insuranceOf(records: readonly InsuranceRecord[] | undefined): Insurance {
  const readings = (records ?? []).map(readRecord)
  const member = readings.find(({ member_number }) => member_number !== undefined)?.member_number
  const same = readings.filter(({ member_number }) => member_number === undefined || member_number === member)
  return same.reduceRight((merged, reading) => ({ ...merged, ...reading }), {})
}

/** The payer's name, from any record. */
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
