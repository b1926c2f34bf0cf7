import type { Logins } from '@pawl/ledger/audit/logins'
import { type Rounds, startRounds } from '@pawl/ledger/upkeep/start-rounds'

/** The time of sessions: it never goes back, within a process or over a restart, so that an expired cookie stays expired. */
export interface SessionClock {
  /** The time in seconds. Rejects until the ledger has returned the latest time. */
  seconds(this: void): Promise<number>
  /** Advances the clock to a time that another process has seen. */
  saw(this: void, seconds: number): void
  /** A time of this clock as wall-clock time, in milliseconds. */
  wallMs(this: void, seconds: number): number
  /** Saves the time in the ledger, now and every minute. */
  start(this: void): Rounds
}

export interface SessionClockDeps {
  ledger: Pick<Logins, 'keepSessionTime'>
  now?: () => number
  /** Monotonic time in milliseconds. */
  elapsed?: () => number
  /** Milliseconds between two saves; the most that is lost if the machine's clock goes back while pawl is stopped. */
  everyMs?: number
}

/** Makes the clock: the machine's time or, if that was set back, the latest time seen plus the time since. */
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

  /** Loads the time that an earlier process saved. */
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
        // If the ledger does not answer, the next round saves it.
        await (keeping === undefined ? begin() : keep()).catch(() => undefined)
        return everyMs
      }),
  }
}
