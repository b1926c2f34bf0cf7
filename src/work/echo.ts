import type { OwnChangeName } from '../service/client/own-change.ts'
import { type EventType, isEventType } from '../service/events/catalog.ts'
import type { Resource } from '../service/schemas/kinds.ts'
import type { PriorAuthorization } from '../service/schemas/prior-authorization.ts'
import type { EventRecord } from '../ledger/hot/claims.ts'
import type { OwnChangeNote } from '../ledger/hot/own-changes.ts'

/** How a change that pawl asked for is known again. */
interface Trace {
  /** The event types that may tell of it. */
  eventTypes: readonly EventType[]
  /** Whether a resource looks as the change makes it. */
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
    // None: only a poll finds it (specification, Events).
    eventTypes: [],
    isSeenIn: ({ ndp_submission: ndp }, value) => value !== undefined && ndp?.preferred_pharmacy_ncpdp_id === value,
  },
} satisfies Record<OwnChangeName, Trace>

/**
 * Tells events of changes that pawl itself asked for: they came after the call, are of a type that tells of it or were found by pawl, and the
 * resource looks as the call makes it, which it did not when the handler last succeeded. Whether it was this call, or somebody else who did the
 * same at that time, cannot be known.
 */
export function createIsEcho(
  ownChanges: readonly OwnChangeNote[],
  { resource, previous }: { resource: Resource; previous: Resource | undefined },
): (event: EventRecord) => boolean {
  const isSeen = ({ name, value }: OwnChangeNote, shown: Resource | undefined) =>
    // Whatever the kind, what a trace looks at is read as in a PA, or absent.
    shown !== undefined && traces[name]?.isSeenIn(shown as Partial<PriorAuthorization>, value) === true
  const seen = ownChanges.filter((change) => isSeen(change, resource) && !isSeen(change, previous))
  return ({ id, type, source }) =>
    seen.some(({ name, afterEventId }) => {
      const isFound = source === 'poll' || source === 'cli'
      const isTold = isEventType(type) && traces[name]?.eventTypes.includes(type) === true
      return id > afterEventId && (isFound || isTold)
    })
}
