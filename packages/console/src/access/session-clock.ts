import type { Logins } from '@pawl/ledger/audit/logins'
import { type Rounds, startRounds } from '@pawl/ledger/upkeep/start-rounds'

/** The time of sessions: it never goes back, within a process or over a restart, so that an expired cookie stays expired. */
export interface SessionClock {
  /** Rejects while the ledger does not tell the latest time. */
  seconds(this: void): Promise<number>
  /** Another process has come this far. */
  saw(this: void, seconds: number): void
  /** A time of this clock by that of the machine, for people. Milliseconds. */
  wallMs(this: void, seconds: number): number
  /** Keeps the time in the ledger, now and every minute. */
  start(this: void): Rounds
}

export interface SessionClockDeps {
  ledger: Pick<Logins, 'keepSessionTime'>
  now?: () => number
  /** Monotonic time in milliseconds. */
  elapsed?: () => number
  /** Milliseconds between two times that are kept: at most as much of a stop's time is lost where the machine's clock goes back during it. */
  everyMs?: number
}

/** Makes the clock: the machine's, or where that was set back the latest time seen and what passed since. */
export function createSessionClock({
  ledger,
  now = Date.now,
  elapsed = () => performance.now(),
  everyMs = 60_000,
}: SessionClockDeps): SessionClock {
  let latest = { seconds: 0, elapsedMs: elapsed() }
  let keeping: Promise<void> | undefined

  function tell(): number {
    const elapsedMs = elapsed()
    const seconds = Math.max(now() / 1_000, latest.seconds + (elapsedMs - latest.elapsedMs) / 1_000)
    latest = { seconds, elapsedMs }
    return Math.floor(seconds)
  }

  function saw(seconds: number): void {
    if (seconds > tell()) latest = { ...latest, seconds }
  }

  async function keep(): Promise<void> {
    const before = await ledger.keepSessionTime(tell())
    if (before !== undefined) saw(before)
  }

  /** Before the first answer, the time that an earlier process kept. */
  async function begin(): Promise<void> {
    keeping ??= keep()
    try {
      await keeping
    } catch (error) {
      keeping = undefined
      throw error
    }
  }

  return {
    async seconds() {
      await begin()
      return tell()
    },
    saw,
    wallMs: (seconds) => now() + (seconds - tell()) * 1_000,
    start: () =>
      startRounds(async () => {
        // Where the ledger does not answer, the next round keeps it.
        await (keeping === undefined ? begin() : keep()).catch(() => undefined)
        return everyMs
      }),
  }
}
