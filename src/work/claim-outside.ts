import type { Claim, EventRecord } from '../ledger/hot/claims.ts'

/** A claim that no ledger gave: for a run of a handler outside the dispatch, on a resource of which nothing but these events is known. */
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
    events,
    newestBody: undefined,
    ownChanges: [],
  }
}
