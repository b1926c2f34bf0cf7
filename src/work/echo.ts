import type { OwnChangeName } from 'pawl-client/api/own-change'
import { type EventType, isEventType } from 'pawl-client/events/event-types'
import type { Resource } from 'pawl-client/schemas/kinds'
import type { PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import type { EventRecord } from '@pawl/ledger/hot/event-record'
import type { OwnChangeNote } from '@pawl/ledger/hot/own-changes'

/** The signs of a change that pawl requested. */
interface Trace {
  /** Event types that may report it. */
  eventTypes: readonly EventType[]
  /** Whether a resource shows the change. */
  isSeenIn(resource: Partial<PriorAuthorization>, value: string | undefined): boolean
}

const traces: Readonly<Record<string, Trace | undefined>> = {
  cancel: {
    eventTypes: ['prior_authorization.status_change', 'benefit_verification.status_change'],
    isSeenIn: ({ status }) => status === 'cancelled',
  },
  cancel_transfer: {
    eventTypes: ['prior_authorization.prescription_transfer_change'],
    isSeenIn: ({ prescription_transfer: transfer }) => transfer?.status === 'cancelled',
  },
  change_pharmacy: {
    // No event reports it; a poll finds it (specification, Events).
    eventTypes: [],
    isSeenIn: ({ ndp_submission: ndp }, value) => value !== undefined && ndp?.preferred_pharmacy_ncpdp_id === value,
  },
} satisfies Record<OwnChangeName, Trace>

/**
 * Recognises events of changes that pawl itself requested. Such an event arrived after the call, and has a type that reports the change or came
 * from a poll. The resource shows the change, and the handler's baseline does not. The same change made by another party at that time looks the same.
 */
export function createIsEcho(
  ownChanges: readonly OwnChangeNote[],
  { resource, previous }: { resource: Resource; previous: Resource | undefined },
): (event: EventRecord) => boolean {
  const isSeen = ({ name, value }: OwnChangeNote, shown: Resource | undefined) =>
    // The fields that a trace reads are those of a PA, or absent.
    shown !== undefined && traces[name]?.isSeenIn(shown as Partial<PriorAuthorization>, value) === true
  const seen = ownChanges.filter((change) => isSeen(change, resource) && !isSeen(change, previous))
  return ({ id, type, source }) =>
    seen.some(({ name, afterEventId }) => {
      const isFound = source === 'poll' || source === 'cli'
      const isReported = isEventType(type) && traces[name]?.eventTypes.includes(type) === true
      return id > afterEventId && (isFound || isReported)
    })
}
