import type { Log } from '../base/log.ts'
import type { Act } from '../ledger/audit/audit-entry.ts'
import type { Hold } from '../ledger/hot/holds.ts'
import type { HoldBook } from '../ledger/hot/create-hold-book.ts'

export interface HoldingDeps {
  ledger: Pick<HoldBook, 'hold' | 'liftHold' | 'letThrough'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  /** The systems, the service among them. */
  systemNames: readonly string[]
  /** Has this process look at once what is paused. */
  lookAtHolds: () => Promise<void>
  /** Tells a worker of a resource that is due again. */
  enqueue: (resourceId: string) => void
  log: Log
}

/** What can be paused. */
export type HoldName = Pick<Hold, 'kind' | 'name'>

/** Pauses work and lets it go on, for the API and the pages alike. */
export interface Holding {
  /** Every handler and every system that there is. */
  names: readonly HoldName[]
  pause(this: void, hold: HoldName, act: Act): Promise<void>
  /** All of it, or `limit` resources and no others yet; `more` says that others still wait. */
  resume(
    this: void,
    hold: HoldName,
    limit: number | undefined,
    act: Act,
  ): Promise<{ resourceIds: string[]; more: boolean }>
}

/** Makes what pauses and resumes. */
export function createHolding({ ledger, handlerNames, systemNames, lookAtHolds, enqueue, log }: HoldingDeps): Holding {
  return {
    names: [
      ...handlerNames.map((name) => ({ kind: 'handler' as const, name })),
      ...systemNames.map((name) => ({ kind: 'system' as const, name })),
    ],
    async pause(hold, act) {
      await ledger.hold(hold, act)
      await lookAtHolds()
      log.warn(fieldsOf(hold), 'paused')
    },
    async resume(hold, limit, act) {
      const { resourceIds, more } =
        limit === undefined
          ? { ...(await ledger.liftHold(hold, act)), more: false }
          : await ledger.letThrough(hold, limit, act)
      await lookAtHolds()
      for (const id of resourceIds) enqueue(id)
      log.warn({ ...fieldsOf(hold), count: resourceIds.length }, 'resumed')
      return { resourceIds, more }
    },
  }
}

/** Whether both are of the same. */
export function isSameHold(one: HoldName, other: HoldName): boolean {
  return one.kind === other.kind && one.name === other.name
}

function fieldsOf({ kind, name }: HoldName) {
  return kind === 'all' ? {} : { [kind]: name }
}
