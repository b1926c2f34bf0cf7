import { BrokenCircuitError, circuitBreaker, CircuitState, handleWhen, type IBackoff } from 'cockatiel'
import { PawlError } from '../errors.ts'
import { SystemDown } from './system-down.ts'

/** `closed`: in use. `open`: away, not asked. `half_open`: one piece of work finds out whether it is back. */
export type BreakerState = 'closed' | 'open' | 'half_open'

export interface BreakerDeps {
  system: string
  /** Milliseconds after which an absent system is asked again; doubles with each answer that does not come, up to eight times as long. */
  cooldownMs: number
  onOpen: (opening: Opening) => void
  onClose: () => void
  /** Milliseconds since some moment; unlike a clock never set. */
  elapsed: () => number
}

/** A system was found away, or is still away when asked again. */
export interface Opening {
  /** Milliseconds that other processes are to leave it alone: until this one asks again, and those that wait here have had time to come. */
  leaveMs: number
  cause: unknown
}

/** The circuit breaker of one system. */
export interface Breaker {
  state(): BreakerState
  /** Asks the system on behalf of a resource. Throws `SystemDown` while the system is away, and what `act` throws. */
  call<T>(resourceId: string, act: () => Promise<T>): Promise<T>
}

/** Failures in a row that mean: it is the system. */
const failuresThatOpen = 5
/** Of so many resources at the least: what fails for one alone may be the fault of that one. */
const resourcesThatOpen = 2

const stateNames: Record<CircuitState, BreakerState> = {
  [CircuitState.Closed]: 'closed',
  [CircuitState.Open]: 'open',
  [CircuitState.Isolated]: 'open',
  [CircuitState.HalfOpen]: 'half_open',
}

const isOutage = (error: unknown) => error instanceof PawlError && error.isOutage

/** Makes a breaker that never takes the word of one resource for the state of a system: it neither opens on it nor stays open on it for free. */
export function createBreaker({ system, cooldownMs, onOpen, onClose, elapsed }: BreakerDeps): Breaker {
  let failures = 0
  const failed = new Set<string>()
  /** The resource that asked last whether the system is back. */
  let lastToAsk: string | undefined
  let restMs = 0
  let restsUntil = 0
  /** Those that wait for the system have all come by then, once its rest is over. */
  const comeWithinMs = cooldownMs * 2

  function forget(): void {
    failures = 0
    failed.clear()
    lastToAsk = undefined
  }

  /** Cockatiel goes by the machine's clock, which may be set; so it is only told whether the time is up. */
  function waitFor(ms: number): IBackoff<unknown> {
    const endsAt = elapsed() + ms
    restMs = ms
    restsUntil = endsAt
    return {
      get duration() {
        return elapsed() < endsAt ? Infinity : -Infinity
      },
      next: () => waitFor(Math.min(ms * 2, cooldownMs * 8)),
    }
  }

  const policy = circuitBreaker(
    handleWhen((error) => isOutage(error) || error instanceof SystemDown),
    {
      halfOpenAfter: { next: () => waitFor(cooldownMs) },
      breaker: {
        state: undefined,
        success: forget,
        failure() {
          failures += 1
          return failures >= failuresThatOpen && failed.size >= resourcesThatOpen
        },
      },
    },
  )
  policy.onBreak((reason) => {
    const cause = 'error' in reason ? reason.error : undefined
    onOpen({ leaveMs: restMs + comeWithinMs, cause })
  })
  policy.onReset(() => {
    forget()
    onClose()
  })

  /** Runs in use, or as the one that asks whether the system is back. */
  async function attempt<T>(resourceId: string, act: () => Promise<T>): Promise<T> {
    const isAsking = policy.state !== CircuitState.Closed
    const isOnItsOwn = resourceId === lastToAsk
    if (isAsking) lastToAsk = resourceId
    try {
      return await act()
    } catch (error) {
      if (!isOutage(error)) throw error
      failed.add(resourceId)
      // Where no other resource came in between, the fault may be its own: then asking costs it an attempt.
      throw isAsking && !isOnItsOwn ? new SystemDown(system, cooldownMs, error) : error
    }
  }

  /** Whoever asked last leaves it to another to ask next, for as long as those that wait need to come. */
  function mustLeaveItToOthers(resourceId: string): boolean {
    const isOpen = policy.state === CircuitState.Open
    return isOpen && resourceId === lastToAsk && elapsed() < restsUntil + comeWithinMs
  }

  return {
    state: () => stateNames[policy.state],
    async call(resourceId, act) {
      if (mustLeaveItToOthers(resourceId)) throw new SystemDown(system, cooldownMs)
      try {
        return await policy.execute(() => attempt(resourceId, act))
      } catch (error) {
        throw error instanceof BrokenCircuitError ? new SystemDown(system, cooldownMs, error) : error
      }
    },
  }
}
