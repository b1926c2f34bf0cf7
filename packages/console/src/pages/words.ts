import { isEventType } from 'pawl-client/events/event-types'
import { maxFailuresCounted } from '@pawl/ledger/views/work-group'
import { count } from '@pawl/base/pages/words'

/** Number of failed pieces of work, capped. */
export function countFailed(value: number): string {
  return value >= maxFailuresCounted ? `${count(maxFailuresCounted)} or more` : count(value)
}

/** A documented event type; unknown types may be any text of a sender. */
export function shownType(type: string): string {
  return isEventType(type) ? type : 'unknown'
}

/** Link to the page of a resource. */
export function addressOfResource(id: string): string {
  return `/resources/${encodeURIComponent(id)}`
}
