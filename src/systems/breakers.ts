import { describeError } from '../errors.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Log } from '../log.ts'
import { type Breaker, type BreakerState, createBreaker } from './breaker.ts'

export interface BreakersDeps {
  /** The names of the systems, any names. */
  systems: readonly string[]
  /** Milliseconds for which an absent system is left alone before it is asked again. */
  cooldownMs: number
  /** Where processes tell each other who is away. */
  outages: Pick<Ledger, 'outages' | 'noteOutage'>
  log: Log
  /** Milliseconds since some moment; unlike a clock never set. Default: since the process began. */
  elapsed?: () => number
}

/** A system that is away, as far as this process knows. */
export interface Away {
  system: string
  /** Milliseconds since this process found it away, and its last answer; absent where another process found it. */
  forMs?: number
  error?: { code: string; message: string }
  /** Milliseconds for which this process leaves it alone because another one found it away. */
  leftAloneMs?: number
}

/** One circuit breaker a system. */
export interface Breakers {
  /** Asks a system on behalf of a resource. Throws `SystemDown` while the system is away, `RefusalUnconfirmed`, what `act` throws, and a `TypeError` for a system that was not named. */
  call<T>(this: void, system: string, resourceId: string, act: () => Promise<T>): Promise<T>
  states(this: void): Record<string, BreakerState>
  /** The system at which this failure, or what caused it, was thrown; `undefined` where it was none of them. */
  systemOf(this: void, failure: unknown): string | undefined
  /** What work waits for now, whoever found it away. */
  away(this: void): Away[]
  close(): void
}

/** How often a process looks what the others found out. Milliseconds. */
const lookEveryMs = 1_000

/** Causes of a failure that are followed. */
const maxCauses = 5

interface Watched {
  system: string
  breaker: Breaker
  /** Since when this process finds it away, what it said last, and whether this process said so in the log. */
  found: { since: number; error: { code: string; message: string }; isTold: boolean } | undefined
  /** Another process, or this one, had noted it when this process looked last. */
  isNoted: boolean
}

/** Makes the breakers, which look what other processes found out until closed. */
export function createBreakers({
  systems,
  cooldownMs,
  outages,
  log,
  elapsed = () => performance.now(),
}: BreakersDeps): Breakers {
  /** A note outlasts the rest by so much: the first of those that wait asks within that time, and says what it found. */
  const graceMs = cooldownMs * 2
  const failedAt = new WeakMap<Error, string>()
  const all = new Map(systems.map((system) => [system, watch(system)]))
  /** Notes of this process begun and ended: whoever looked meanwhile may have seen an old one. */
  let noteTurns = 0
  let notesUnderWay = 0

  function watch(system: string): Watched {
    const breaker = createBreaker({
      system,
      cooldownMs,
      elapsed,
      onAway(restMs, cause) {
        const line = { system, status: 'open', error: cause }
        const isNews = watched.found === undefined && !watched.isNoted
        const { since, isTold } = watched.found ?? { since: elapsed(), isTold: isNews }
        watched.found = { since, isTold, error: describeError(cause) }
        if (isNews) log.warn(line, 'a system is away: its work waits')
        else log.debug(line, 'a system is still away')
        note(system, restMs + graceMs)
      },
      onBack() {
        log[watched.found?.isTold === true ? 'info' : 'debug']({ system, status: 'closed' }, 'a system is back')
        watched.found = undefined
        watched.isNoted = false
        note(system, undefined)
      },
    })
    const watched: Watched = { system, breaker, found: undefined, isNoted: false }
    return watched
  }

  /** What the others are not told they find out by themselves, some failures later. */
  function note(system: string, forMs: number | undefined): void {
    notesUnderWay += 1
    noteTurns += 1
    outages
      .noteOutage(system, forMs)
      .catch((error: unknown) => log.warn({ system, error }, 'outage not shared'))
      .finally(() => (notesUnderWay -= 1))
  }

  async function look(): Promise<void> {
    const turn = noteTurns
    const noted = notesUnderWay > 0 ? undefined : await outages.outages().catch(() => undefined)
    if (noted === undefined || turn !== noteTurns) return
    for (const watched of all.values()) {
      const outage = noted.find(({ system }) => system === watched.system)
      // Not longer than this process would leave it alone itself, whatever became of the clock.
      if (outage !== undefined)
        watched.breaker.hearAway(Math.min(cooldownMs, Math.max(0, outage.remainingMs - graceMs)))
      else if (watched.isNoted) watched.breaker.hearBack()
      watched.isNoted = outage !== undefined
    }
  }
  const timer = setInterval(() => void look(), lookEveryMs).unref()

  async function call<T>(system: string, resourceId: string, act: () => Promise<T>): Promise<T> {
    const watched = all.get(system)
    if (watched === undefined) throw new TypeError(`No system is named ${system}.`)
    try {
      return await watched.breaker.call(resourceId, act)
    } catch (error) {
      if (error instanceof Error && !failedAt.has(error)) failedAt.set(error, system)
      throw error
    }
  }

  function systemOf(failure: unknown): string | undefined {
    let error = failure
    // Causes may refer to each other in a circle.
    for (let depth = 0; depth < maxCauses && error instanceof Error; depth += 1) {
      const system = failedAt.get(error)
      if (system !== undefined) return system
      error = error.cause
    }
    return undefined
  }

  function describeAway({ system, breaker, found }: Watched): Away[] {
    if (breaker.state() === 'closed') return []
    if (found !== undefined) return [{ system, forMs: elapsed() - found.since, error: found.error }]
    return [{ system, leftAloneMs: breaker.restMs() }]
  }

  return {
    call,
    systemOf,
    away: () => [...all.values()].flatMap(describeAway),
    close: () => clearInterval(timer),
    states: () => Object.fromEntries([...all].map(([system, { breaker }]) => [system, breaker.state()])),
  }
}
