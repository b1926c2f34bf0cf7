import { type Claim, ClaimLost, type ClaimToken, type HandlerNames, tokenOf } from '@pawl/ledger/hot/claim'
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
  ledger: Pick<Claims, 'claim' | 'renew' | 'followClock'>
  /** Duration of a claim without renewal, in milliseconds: a killed process blocks its resources for that long. */
  leaseMs: number
  /** The handlers of each kind of resource. */
  handlerNames: HandlerNames
}

/** A claim with its lease, which must be ended. */
export interface LeasedClaim {
  claim: Claim
  lease: Lease
}

/** The leases of a worker, all renewed by one timer. */
export interface Leases {
  leaseMs: number
  /** Claims a due and free resource, and renews the claim until the lease ends; as `Claims.claim`. */
  claim(this: void, resourceId: string, alone: boolean): Promise<LeasedClaim | undefined>
  /** As `Claims.followClock`. */
  followClock(this: void): Promise<boolean>
  /** Its end ends all leases, and those to come. */
  stopping: Ending
}

export function createLeases({ ledger, leaseMs, handlerNames }: LeaseDeps): Leases {
  const stopping = createEnding()
  const looks = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  const lookAtAll = () => {
    for (const look of looks) look()
    // An idle worker runs no timer.
    if (looks.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  /** `claimedAt` (`performance.now()`) is not later than the claim. */
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

    function look(): void {
      watch()
      const now = performance.now()
      if (now - renewedAt >= leaseMs / 3) void renew(now)
    }

    looks.add(look)
    timer ??= setInterval(lookAtAll, leaseMs / 20)
    const unfollow = stopping.onEnd(ending.end)
    return {
      ending,
      assertHeld() {
        watch()
        ending.throwIfOver()
      },
      remainingMs: () => (isOver ? 0 : endsAt - performance.now()),
      end() {
        looks.delete(look)
        unfollow()
        isOver = true
      },
    }
  }

  return {
    leaseMs,
    async claim(resourceId, alone) {
      const claimedAt = performance.now()
      const claim = await ledger.claim(resourceId, leaseMs, handlerNames, alone)
      return claim && { claim, lease: keep(tokenOf(claim), claimedAt) }
    },
    followClock: () => ledger.followClock(leaseMs),
    stopping,
  }
}
