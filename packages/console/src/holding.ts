import type { Log } from '@pawl/base/log'
import type { Act } from '@pawl/ledger/audit/audit-entry'
import type { HoldName } from '@pawl/ledger/hot/holds'
import type { RunViews } from '@pawl/ledger/views/list-runs'
import { createReleased, type Released } from './released.ts'
import type { HoldBook } from '@pawl/ledger/upkeep/create-hold-book'

export interface HoldingDeps {
  ledger: Pick<HoldBook, 'hold' | 'liftHold' | 'letThrough'> & Pick<RunViews, 'listRuns'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  /** The systems, the service among them. */
  systemNames: readonly string[]
  /** Makes this process reload the holds at once. */
  lookAtHolds: () => Promise<void>
  /** Wakes a worker for a due resource. */
  enqueue: (resourceId: string) => void
  log: Log
}

/** The hold on all work. */
export const allWork: HoldName = { kind: 'all', name: '' }

/** Pauses and resumes work, for the API and the pages. */
export interface Holding {
  /** Every handler and every system. */
  names: readonly HoldName[]
  pause(this: void, hold: HoldName, act: Act): Promise<void>
  /** Resumes all, or releases `limit` resources; `more`: others still wait. */
  resume(
    this: void,
    hold: HoldName,
    limit: number | undefined,
    act: Act,
  ): Promise<{ resourceIds: string[]; more: boolean }>
  /** How the resources fare that this process released last; undefined if it released none. */
  readFared: Released['read']
}

export function createHolding({ ledger, handlerNames, systemNames, lookAtHolds, enqueue, log }: HoldingDeps): Holding {
  const released = createReleased(ledger)
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
      if (limit !== undefined) await released.note(hold, resourceIds)
      await lookAtHolds()
      for (const id of resourceIds) enqueue(id)
      log.warn({ ...fieldsOf(hold), count: resourceIds.length }, 'resumed')
      return { resourceIds, more }
    },
    readFared: released.read,
  }
}

/** Whether both have the same subject. */
export function isSameHold(one: HoldName, other: HoldName): boolean {
  return one.kind === other.kind && one.name === other.name
}

/** Whether this very subject is paused. */
export function isHeld(holds: readonly HoldName[], target: HoldName): boolean {
  return holds.some((hold) => isSameHold(hold, target))
}

/** The pause for which nothing asks a system, if any. */
export function holdOver(holds: readonly HoldName[], system: string): HoldName | undefined {
  return [allWork, { kind: 'system', name: system } as const].find((each) => isHeld(holds, each))
}

function fieldsOf({ kind, name }: HoldName) {
  return kind === 'all' ? {} : { [kind]: name }
}
