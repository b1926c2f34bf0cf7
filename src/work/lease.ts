import { ClaimLost, type ClaimToken } from '@pawl/ledger/hot/claims'
import type { Claims } from '@pawl/ledger/hot/create-claims'
import { createEnding, type Ending } from './ending.ts'

/** The right of this process to act on a claim, timed by its own clock. */
export interface Lease {
  /** Ends with `ClaimLost` when the claim is lost, or its time is up without a confirmed renewal; with the stop's reason when the process stops. */
  ending: Pick<Ending, 'isOver' | 'reason' | 'onEnd' | 'signal'>
  /** Throws the ending's reason. Call it before each effect: after a stall of the event loop the time is over before the ending is told. */
  assertHeld(): void
  /** Milliseconds left of the claim, unless it is renewed. */
  remainingMs(): number
  /** Ends the renewals and the right to act. */
  end(): void
}

/** A lease as the code under it sees it. */
export type HeldLease = Pick<Lease, 'ending' | 'assertHeld' | 'remainingMs'>

export interface LeaseDeps {
  ledger: Pick<Claims, 'renew'>
  leaseMs: number
  /** Aborts when the process stops. */
  stopping: AbortSignal
}

/** The leases of a worker, all renewed by one timer. */
export interface Leases {
  /** Renews a claim until `end`; `claimedAt` (`performance.now()`) is not later than the claim. */
  keep(token: ClaimToken, claimedAt: number): Lease
}

export function createLeases({ ledger, leaseMs, stopping }: LeaseDeps): Leases {
  const kept = new Set<{ look(): void; stop(): void }>()
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    for (const each of kept) each.look()
    // An idle worker runs no timer.
    if (kept.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  const stopAll = () => {
    for (const each of kept) each.stop()
  }
  stopping.addEventListener('abort', stopAll, { once: true })

  function keep(token: ClaimToken, claimedAt: number): Lease {
    const ending = createEnding()
    const lose = (why: string) => ending.end(new ClaimLost(`The lease on ${token.resourceId} ${why}.`))
    // The ledger starts to count at the request or later, so this count ends first.
    let endsAt = claimedAt + leaseMs
    let renewedAt = performance.now()
    let isOver = false

    async function renew(askedAt: number): Promise<void> {
      renewedAt = askedAt
      // A failed renewal does not end the lease: only the time left counts.
      const isStillOurs = await ledger.renew(token, leaseMs).catch(() => undefined)
      if (isStillOurs === true) endsAt = Math.max(endsAt, askedAt + leaseMs)
      else if (isStillOurs === false) lose('went to another worker')
    }

    function watch(): void {
      if (isOver || performance.now() >= endsAt) lose('has ended')
    }

    const own = {
      look() {
        watch()
        const now = performance.now()
        if (now - renewedAt >= leaseMs / 3) void renew(now)
      },
      stop: () => ending.end(stopping.reason),
    }
    kept.add(own)
    timer ??= setInterval(look, leaseMs / 20)
    if (stopping.aborted) own.stop()
    return {
      ending,
      assertHeld() {
        watch()
        ending.throwIfOver()
      },
      remainingMs: () => (isOver ? 0 : endsAt - performance.now()),
      end() {
        kept.delete(own)
        isOver = true
      },
    }
  }

  return { keep }
}
