import { describeError } from '../errors.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Log } from '../log.ts'
import { type BreakerState, createBreaker, type Opening } from './breaker.ts'
import { SystemDown } from './system-down.ts'

export interface BreakersDeps {
  /** The names of the systems. */
  systems: readonly string[]
  /** Milliseconds after which an absent system is asked again; doubles with each answer that does not come, up to eight times as long. */
  cooldownMs: number
  /** Where processes tell each other who is away. */
  board: Pick<Ledger, 'outages' | 'noteOutage'>
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
  /** Milliseconds for which this process leaves it to the one that found it away. */
  leftAloneMs?: number
}

/** One circuit breaker a system. */
export interface Breakers {
  /** Asks a system on behalf of one resource. Throws `SystemDown` while the system is away, and what `act` throws. */
  call<T>(this: void, system: string, resourceId: string, act: () => Promise<T>): Promise<T>
  states(this: void): Record<string, BreakerState>
  /** What work waits for now, whoever found it away. */
  away(this: void): Away[]
  close(): void
}

/** How often a process looks what the others found out. Milliseconds. */
const boardEveryMs = 1_000

export function createBreakers({
  systems,
  cooldownMs,
  board,
  log,
  elapsed = () => performance.now(),
}: BreakersDeps): Breakers {
  /** Systems that another process found away, and until when, in this process's time. */
  const awayUntil = new Map<string, number>()
  /** Systems that this process found away, since when, and what they said last. */
  const found = new Map<string, { since: number; error: { code: string; message: string } }>()
  const breakers = new Map(systems.map((system) => [system, forSystem(system)]))

  function forSystem(system: string) {
    return createBreaker({
      system,
      cooldownMs,
      elapsed,
      onOpen({ leaveMs, cause }: Opening) {
        const known = found.get(system)
        const error = describeError(cause instanceof SystemDown ? cause.cause : cause)
        found.set(system, { since: known?.since ?? elapsed(), error })
        const line = { system, status: 'open', error: cause }
        if (known === undefined) log.warn(line, 'a system is away: its work waits')
        else log.debug(line, 'a system is still away')
        note(system, leaveMs)
      },
      onClose() {
        found.delete(system)
        log.info({ system, status: 'closed' }, 'a system is back')
        note(system, undefined)
      },
    })
  }

  /** What the others are not told they find out by themselves, some failures later. */
  function note(system: string, forMs: number | undefined): void {
    board.noteOutage(system, forMs).catch((error: unknown) => log.warn({ system, error }, 'outage not shared'))
  }

  async function look(): Promise<void> {
    const outages = await board.outages().catch(() => [])
    awayUntil.clear()
    for (const { system, remainingMs } of outages) awayUntil.set(system, elapsed() + remainingMs)
  }
  const timer = setInterval(() => void look(), boardEveryMs).unref()

  async function call<T>(system: string, resourceId: string, act: () => Promise<T>): Promise<T> {
    const breaker = breakers.get(system)
    if (breaker === undefined) throw new Error(`No system is named ${system}.`)
    const leftMs = (awayUntil.get(system) ?? 0) - elapsed()
    // Whoever found it away is the one who asks whether it is back; it may be so long before the time is up.
    if (breaker.state() === 'closed' && leftMs > 0) throw new SystemDown(system, Math.min(leftMs, cooldownMs))
    return breaker.call(resourceId, act)
  }

  function away(): Away[] {
    const now = elapsed()
    const own = [...found].map(([system, { since, error }]) => ({ system, forMs: now - since, error }))
    const others = [...awayUntil].filter(
      ([system, until]) => until > now && !own.some((each) => each.system === system),
    )
    return [...own, ...others.map(([system, until]) => ({ system, leftAloneMs: until - now }))]
  }

  return {
    away,
    close: () => clearInterval(timer),
    states: () => Object.fromEntries([...breakers].map(([system, breaker]) => [system, breaker.state()])),
    call,
  }
}
