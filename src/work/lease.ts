import { ClaimLost, type ClaimToken } from '../ledger/hot/claims.ts'
import type { Claims } from '../ledger/hot/create-claims.ts'

/** How long this process may act on a claim, by its own clock. */
export interface Lease {
  /** Aborts with `ClaimLost` when the claim is lost, or its time is up without a confirmed renewal; with the stop's reason when the process stops. */
  signal: AbortSignal
  /** Throws the signal's reason. Call it before each effect: after a stall of the event loop the time is over before the signal fires. */
  assertHeld(): void
  /** Milliseconds left of the claim, unless it is renewed. */
  remainingMs(): number
  /** Ends the renewals and the right to act. */
  end(): void
}

/** A lease as the code under it sees it. */
export type HeldLease = Pick<Lease, 'signal' | 'assertHeld' | 'remainingMs'>

export interface LeaseDeps {
  ledger: Pick<Claims, 'renew'>
  leaseMs: number
  claimedAt: number
  /** Aborts when the process stops. */
  stopping: AbortSignal
}

/** Renews a claim until `end`; `claimedAt` (`performance.now()`) is not later than the claim. */
export function keepLease(token: ClaimToken, { ledger, leaseMs, claimedAt, stopping }: LeaseDeps): Lease {
  const lost = new AbortController()
  const lose = (why: string) => lost.abort(new ClaimLost(`The lease on ${token.resourceId} ${why}.`))
  // The ledger starts to count at the request or later, so this count ends first.
  let endsAt = claimedAt + leaseMs
  let isOver = false

  async function renew(): Promise<void> {
    const askedAt = performance.now()
    // A failed renewal ends nothing: only the time left counts.
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
