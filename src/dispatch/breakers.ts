import type { Ledger } from '../ledger/ledger.ts'
import type { Log } from '../log.ts'
import { type BreakerState, createBreaker } from './breaker.ts'
import { type System, SystemDown } from './system-down.ts'
import { wrapMethods } from './wrap-methods.ts'

export interface BreakersDeps {
  /** Milliseconds after which an absent system is asked again; doubles with each answer that does not come, up to eight times as long. */
  cooldownMs: number
  /** Where processes tell each other who is away. */
  board: Pick<Ledger, 'outages' | 'noteOutage'>
  log: Log
}

/** One circuit breaker a system. */
export interface Breakers {
  /** The same port on behalf of one resource, behind the breaker of its system. Its methods throw `SystemDown` while the system is away. */
  guard<P extends object>(system: System, port: P, resourceId: string): P
  states(this: void): Record<System, BreakerState>
  close(): void
}

/** How often a process looks what the others found out. Milliseconds. */
const boardEveryMs = 1_000

export function createBreakers({ cooldownMs, board, log }: BreakersDeps): Breakers {
  /** Systems that another process found away, and until when, in this process's time. */
  const awayUntil = new Map<string, number>()
  const breakers = { api: forSystem('api'), ehr: forSystem('ehr'), pharmacy: forSystem('pharmacy') }

  function forSystem(system: System) {
    return createBreaker({
      system,
      cooldownMs,
      onOpen() {
        log.warn({ system, status: 'open' }, 'a system is away: its work waits')
        note(system, cooldownMs)
      },
      onClose() {
        log.info({ system, status: 'closed' }, 'a system is back')
        note(system, undefined)
      },
    })
  }

  /** What the others are not told they find out by themselves, some failures later. */
  function note(system: System, forMs: number | undefined): void {
    board.noteOutage(system, forMs).catch((error: unknown) => log.warn({ system, error }, 'outage not shared'))
  }

  async function look(): Promise<void> {
    const outages = await board.outages().catch(() => [])
    awayUntil.clear()
    for (const { system, remainingMs } of outages) awayUntil.set(system, performance.now() + remainingMs)
  }
  const timer = setInterval(() => void look(), boardEveryMs).unref()

  async function call<T>(system: System, resourceId: string, act: () => Promise<T>): Promise<T> {
    const breaker = breakers[system]
    const leftMs = (awayUntil.get(system) ?? 0) - performance.now()
    // Whoever found it away is the one who asks whether it is back.
    if (breaker.state() === 'closed' && leftMs > 0) throw new SystemDown(system, leftMs)
    return breaker.call(resourceId, act)
  }

  return {
    close: () => clearInterval(timer),
    states: () => ({ api: breakers.api.state(), ehr: breakers.ehr.state(), pharmacy: breakers.pharmacy.state() }),
    guard: (system, port, resourceId) =>
      wrapMethods(
        port,
        (method) =>
          (...args) =>
            call(system, resourceId, () => method(...args)),
      ),
  }
}
