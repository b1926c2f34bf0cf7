import type { Identifier, IdentifierField } from './identifier-fields.ts'
import { readFields } from './kinds.ts'

/** Max length of an identifier. */
const maxLength = 200
/** Max identifiers of one resource; more cards are unrealistic. */
const maxIdentifiers = 20

/** The numbers of patient, plan and prescription in a snapshot (specification, Shared objects; supplement, PA create). An outreach attempt has none. */
export function readIdentifiers(document: unknown): Identifier[] {
  const { patient, insurance = [], ndp_submission: submission } = readFields(document)
  const members = insurance.flatMap(({ scanned_content: scanned, discrete_content: discrete }) => [
    scanned?.member_number,
    discrete?.member_number,
  ])
  const found: [IdentifierField, string | undefined][] = [
    ['internal_id', patient?.internal_id],
    ['mrn', patient?.mrn],
    ['prescription_message_id', submission?.prescription_message_id],
    ...members.map((member): [IdentifierField, string | undefined] => ['member_number', member]),
  ]
  return found
    .flatMap(([field, value]) => (value === undefined || isUnusable(value) ? [] : [{ field, value }]))
    .slice(0, maxIdentifiers)
}

function isUnusable(value: string): boolean {
  return value.trim() === '' || value.length > maxLength
}
