import type { Guard } from './guard.ts'
import { WorkPaused } from './work-paused.ts'
import type { Hold, HoldName } from '@pawl/ledger/hot/holds'
import type { HoldBook } from '@pawl/ledger/upkeep/create-hold-book'

/** The holds known to this process, at most a second old. */
export interface Holds {
  list(this: void): readonly Hold[]
  /** Whether all work is paused. */
  isAllHeld(this: void): boolean
  /** Whether work on a resource waits for this hold. Rereads a known hold from the ledger, so that work never waits for one that was just lifted. */
  holdsUp(this: void, hold: HoldName, resourceId: string): Promise<boolean>
  /** Rereads now. Rejects with the ledger's error. */
  look(this: void): Promise<void>
  /** Calls `listen` whenever a hold is lifted. */
  onLifted(this: void, listen: () => void): void
  close(this: void): void
}

/** Interval of rereading. Milliseconds. */
const lookEveryMs = 1_000

/** Watches the holds until closed; while the ledger is down, the last known ones apply. */
export function createHolds(ledger: Pick<HoldBook, 'holds' | 'isLetThrough'>): Holds {
  let known: readonly Hold[] = []
  let looking: Promise<void> | undefined
  const listeners: (() => void)[] = []

  async function readHolds(): Promise<void> {
    const before = known
    known = await ledger.holds()
    const isLifted = before.some((hold) => !isAmong(known, hold))
    if (isLifted) for (const listen of listeners) listen()
  }

  /** Starts a new read after this call, never reusing an earlier one. */
  async function look(): Promise<void> {
    await looking?.catch(() => undefined)
    looking ??= readHolds().finally(() => (looking = undefined))
    await looking
  }
  const timer = setInterval(() => void look().catch(() => undefined), lookEveryMs).unref()

  return {
    list: () => known,
    isAllHeld: () => isAmong(known, { kind: 'all', name: '' }),
    async holdsUp(hold, resourceId) {
      if (!isAmong(known, hold)) return false
      await look()
      return isAmong(known, hold) && !(await ledger.isLetThrough(resourceId))
    },
    look,
    onLifted: (listen) => void listeners.push(listen),
    close: () => clearInterval(timer),
  }
}

/** The breakers, behind a check for paused systems, whose calls throw `WorkPaused`. */
export function holdSystems(breakers: Guard, holds: Holds): Guard {
  return {
    begin: breakers.begin,
    systemOf: (failure) => breakers.systemOf(failure) ?? pausedSystemOf(failure),
    async call(system, resourceId, act) {
      if (await holds.holdsUp({ kind: 'system', name: system }, resourceId)) throw new WorkPaused('system', system)
      return breakers.call(system, resourceId, act)
    },
  }
}

function pausedSystemOf(failure: unknown): string | undefined {
  return failure instanceof WorkPaused && failure.held.kind === 'system' ? failure.held.name : undefined
}

function isAmong(holds: readonly Hold[], { kind, name }: HoldName): boolean {
  return holds.some((hold) => hold.kind === kind && hold.name === name)
}
