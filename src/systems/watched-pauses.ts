import type { Guard } from './guard.ts'
import { WorkPaused } from './work-paused.ts'
import type { Pause, PauseTarget } from '@pawl/ledger/hot/pause'
import type { Pauses } from '@pawl/ledger/upkeep/create-pauses'

/** The pauses known to this process, at most a second old. */
export interface WatchedPauses {
  list(this: void): readonly Pause[]
  /** Whether all work is paused. */
  isAllPaused(this: void): boolean
  /** Whether work waits for this pause. Rereads a known pause from the ledger, so that work never waits for a pause that is over. */
  isPaused(this: void, target: PauseTarget): Promise<boolean>
  /** Rereads now. Rejects with the ledger's error. */
  look(this: void): Promise<void>
  /** Calls `listen` whenever a pause is over. */
  onResumed(this: void, listen: () => void): void
  close(this: void): void
}

/** Interval of rereading. Milliseconds. */
const lookEveryMs = 1_000

/** Watches the pauses until closed; while the ledger is down, the last known ones apply. */
export function watchPauses(ledger: Pick<Pauses, 'pauses'>): WatchedPauses {
  let known: readonly Pause[] = []
  let looking: Promise<void> | undefined
  const listeners: (() => void)[] = []

  async function reread(): Promise<void> {
    const before = known
    known = await ledger.pauses()
    if (before.some((pause) => !isAmong(known, pause))) for (const listen of listeners) listen()
  }

  /** Starts a new read after this call, never reusing an earlier one. */
  async function look(): Promise<void> {
    await looking?.catch(() => undefined)
    looking ??= reread().finally(() => (looking = undefined))
    await looking
  }
  const timer = setInterval(() => void look().catch(() => undefined), lookEveryMs).unref()

  return {
    list: () => known,
    isAllPaused: () => isAmong(known, { kind: 'all', name: '' }),
    async isPaused(target) {
      if (!isAmong(known, target)) return false
      await look()
      return isAmong(known, target)
    },
    look,
    onResumed: (listen) => void listeners.push(listen),
    close: () => clearInterval(timer),
  }
}

/** The breakers, behind a check for paused systems, whose calls throw `WorkPaused`. */
export function pauseSystems(breakers: Guard, pauses: WatchedPauses): Guard {
  return {
    begin: breakers.begin,
    systemOf: (failure) => breakers.systemOf(failure) ?? pausedSystemOf(failure),
    async call(system, resourceId, act) {
      if (await pauses.isPaused({ kind: 'system', name: system })) throw new WorkPaused('system', system)
      return breakers.call(system, resourceId, act)
    },
  }
}

function pausedSystemOf(failure: unknown): string | undefined {
  return failure instanceof WorkPaused && failure.paused.kind === 'system' ? failure.paused.name : undefined
}

function isAmong(pauses: readonly Pause[], { kind, name }: PauseTarget): boolean {
  return pauses.some((pause) => pause.kind === kind && pause.name === name)
}
