import { isEventType } from '../../service/events/catalog.ts'
import { maxFailuresCounted } from '../../ledger/views/work-groups.ts'
import { count } from '../../base/pages/words.tsx'

/** How much failed work there is, of which no more is counted than is useful. */
export function countFailed(value: number): string {
  return value >= maxFailuresCounted ? `${count(maxFailuresCounted)} or more` : count(value)
}

/** An event type that the catalogue knows; what a sender made up may say anything. */
export function shownType(type: string): string {
  return isEventType(type) ? type : 'unknown'
}

/** A page of one resource. */
export function addressOfResource(id: string): string {
  return `/resources/${encodeURIComponent(id)}`
}
