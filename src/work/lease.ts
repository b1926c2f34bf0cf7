import { ClaimLost, type ClaimToken } from '../ledger/hot/claims.ts'
import type { Claims } from '../ledger/hot/create-claims.ts'

/** How long this process may act on a claim, as far as it can tell without asking anybody. */
export interface Lease {
  /** Aborts with `ClaimLost` when the claim was lost, or may have been: its time is up and nobody could say that it was renewed; and with its reason once the process stops. */
  signal: AbortSignal
  /** Throws what the signal aborts with. Ask it before each effect: where the event loop was held up, the time is over before the signal knows. */
  assertHeld(): void
  /** Milliseconds for which this process surely holds the claim, unless it is renewed. */
  remainingMs(): number
  /** Ends the renewals; what still runs may not act any more. */
  end(): void
}

/** A lease as whoever acts on it sees it. */
export type HeldLease = Pick<Lease, 'signal' | 'assertHeld' | 'remainingMs'>

export interface LeaseDeps {
  ledger: Pick<Claims, 'renew'>
  leaseMs: number
  claimedAt: number
  /** Aborts when the process must not go on. */
  stopping: AbortSignal
}

/** Renews a claim, taken at `claimedAt` by `performance.now()` or later, until told to end. */
export function keepLease(token: ClaimToken, { ledger, leaseMs, claimedAt, stopping }: LeaseDeps): Lease {
  const lost = new AbortController()
  const lose = (why: string) => lost.abort(new ClaimLost(`The lease on ${token.resourceId} ${why}.`))
  // The ledger counts from when it was asked or later, so this process's count is never the longer one.
  let endsAt = claimedAt + leaseMs
  let isOver = false

  async function renew(): Promise<void> {
    const askedAt = performance.now()
    // A ledger that is away for a moment takes nothing from anybody: only the time that is left counts.
    const isHeld = await ledger.renew(token, leaseMs).catch(() => undefined)
    if (isHeld === true) endsAt = Math.max(endsAt, askedAt + leaseMs)
    else if (isHeld === false) lose('went to another worker')
  }

  function watch(): void {
    if (isOver || performance.now() >= endsAt) lose('has ended')
  }

  const stop = () => lost.abort(stopping.reason)
  if (stopping.aborted) stop()
  stopping.addEventListener('abort', stop, { once: true })
  const timers = [setInterval(() => void renew(), leaseMs / 3), setInterval(watch, leaseMs / 20)]
  return {
    signal: lost.signal,
    assertHeld() {
      watch()
      lost.signal.throwIfAborted()
    },
    remainingMs: () => (isOver ? 0 : endsAt - performance.now()),
    end() {
      for (const timer of timers) clearInterval(timer)
      stopping.removeEventListener('abort', stop)
      isOver = true
    },
  }
}
