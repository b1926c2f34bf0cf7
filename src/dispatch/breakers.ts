import {
  BrokenCircuitError,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  ExponentialBackoff,
  handleWhen,
} from 'cockatiel'
import { PawlError } from '../errors.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Log } from '../log.ts'

/** The systems that pawl depends on and that can be away. */
export const systems = ['api', 'ehr', 'pharmacy'] as const
export type System = (typeof systems)[number]

/** `closed`: in use. `open`: away, not asked. `half_open`: one piece of work finds out whether it is back. */
export type BreakerState = 'closed' | 'open' | 'half_open'

/** A system is away; the work waits for it and comes no closer to being parked. */
export class SystemDown extends PawlError {
  readonly code = 'system_down'
  override readonly costsAttempt = false
  override readonly retry: { afterMs: number }
  readonly system: System

  constructor(system: System, afterMs: number, cause?: unknown) {
    // Whoever reads of the last outage wants to know of what kind it was: a refused token is mended otherwise than a dead line.
    const reason = cause instanceof PawlError ? ` (${cause.code})` : ''
    super(`The system ${system} is away${reason}; the work waits until it is back.`, { cause })
    this.system = system
    this.retry = { afterMs }
  }
}

export interface BreakersDeps {
  /** Milliseconds after which an absent system is asked again; doubles with each answer that does not come, up to eight times as long. */
  cooldownMs: number
  /** Where processes tell each other who is away. */
  board: Pick<Ledger, 'outages' | 'noteOutage'>
  log: Log
}

/** One circuit breaker a system. */
export interface Breakers {
  /** The same port, behind the breaker of its system. Its methods throw `SystemDown` while the system is away. */
  guard<P extends object>(system: System, port: P): P
  states(this: void): Record<System, BreakerState>
  close(): void
}

/** Failures in a row, whatever work met them, that mean: it is the system. */
const failuresThatOpen = 5

const stateNames: Record<CircuitState, BreakerState> = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.Open]: 'open',
  [CircuitState.Isolated]: 'open',
  [CircuitState.HalfOpen]: 'half_open',
}

/** How often a process looks what the others found out. Milliseconds. */
const boardEveryMs = 1_000

export function createBreakers({ cooldownMs, board, log }: BreakersDeps): Breakers {
  /** Systems that another process found away, and until when, in this process's time. */
  const awayUntil = new Map<string, number>()
  const breakers = new Map(systems.map((system) => [system, createBreaker(system)]))

  function createBreaker(system: System) {
    const policy = circuitBreaker(
      handleWhen((error) => error instanceof PawlError && error.isOutage),
      {
        halfOpenAfter: new ExponentialBackoff({ initialDelay: cooldownMs, maxDelay: cooldownMs * 8 }),
        breaker: new ConsecutiveBreaker(failuresThatOpen),
      },
    )
    policy.onBreak(() => {
      log.warn({ system, status: 'open' }, 'a system is away: its work waits')
      note(system, cooldownMs)
    })
    policy.onReset(() => {
      log.info({ system, status: 'closed' }, 'a system is back')
      note(system, undefined)
    })
    return policy
  }

  /** What the others are not told they find out by themselves, five failures later. */
  function note(system: System, forMs: number | undefined): void {
    board.noteOutage(system, forMs).catch((error: unknown) => log.warn({ system, error }, 'outage not shared'))
  }

  async function look(): Promise<void> {
    const outages = await board.outages().catch(() => [])
    awayUntil.clear()
    for (const { system, remainingMs } of outages) awayUntil.set(system, performance.now() + remainingMs)
  }
  const timer = setInterval(() => void look(), boardEveryMs).unref()

  async function call<T>(system: System, act: () => Promise<T>): Promise<T> {
    const policy = breakers.get(system)
    if (policy === undefined) return act()
    const wasClosed = policy.state === CircuitState.Closed
    const leftMs = (awayUntil.get(system) ?? 0) - performance.now()
    // Whoever found it away is the one who asks whether it is back.
    if (wasClosed && leftMs > 0) throw new SystemDown(system, leftMs)
    try {
      return await policy.execute(act)
    } catch (error) {
      const isProbe = !wasClosed && error instanceof PawlError && error.isOutage
      if (error instanceof BrokenCircuitError || isProbe) throw new SystemDown(system, cooldownMs, error)
      throw error
    }
  }

  const stateOf = (system: System) => stateNames[breakers.get(system)?.state ?? CircuitState.Closed]

  return {
    close: () => clearInterval(timer),
    states: () => ({ api: stateOf('api'), ehr: stateOf('ehr'), pharmacy: stateOf('pharmacy') }),
    guard<P extends object>(system: System, port: P): P {
      const guarded = Object.entries(port).map(([name, member]: [string, unknown]) => [
        name,
        typeof member === 'function'
          ? // Ports are plain objects of asynchronous methods, which the type of a generic port cannot say.
            (...args: unknown[]) => call(system, () => member(...args) as Promise<unknown>)
          : member,
      ])
      // Every method was replaced by one of the same signature, which fromEntries cannot express.
      return Object.fromEntries(guarded) as P
    },
  }
}
