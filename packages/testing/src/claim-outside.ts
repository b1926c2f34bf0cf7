import type { Claim } from '@pawl/ledger/hot/claim'
import type { EventRecord } from '@pawl/ledger/hot/event-record'

/** A claim without a ledger, for a run outside the dispatch on a resource whose history is these events. */
export function claimOutside({
  events,
  at,
  ...named
}: Pick<Claim, 'resourceId' | 'kind' | 'owner'> & { events: readonly EventRecord[]; at: number }): Claim {
  return {
    ...named,
    newestEventId: events.at(-1)?.id ?? 0,
    retries: 0,
    claimedAt: at,
    suspect: false,
    claimsLost: 0,
    firstEventAt: events[0]?.receivedAt ?? at,
    snapshot: undefined,
    terminal: false,
    progress: new Map(),
    memory: new Map(),
    events,
    newestBody: undefined,
    ownChanges: [],
  }
}
