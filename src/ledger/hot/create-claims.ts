import type { Core } from '../core.ts'
import { type Claim, claimAll, type ClaimRequest, renewClaim, type ClaimToken, type HandlerNames } from './claims.ts'
import { beginTimeAnew, isBehindEvents } from './clock-steps.ts'
import { readBodies, readDue, readNextDueIn } from './reads.ts'
import { recordAll, type Recording } from './record-all.ts'
import { resourcesOf } from './make-due.ts'
import { findParkedAgain, wakeParked } from './wake-parked.ts'
import type { Note, Release } from './notes.ts'

/** Finds due resources, claims them, and records the work on them. */
export interface Claims {
  /** Resources with work to do now that nobody holds, the longest waiting first. */
  due(limit: number): Promise<string[]>
  /** Makes parked work due, `limit` pieces at the most, whose time to be tried again has come; it stays parked until it succeeds. Resolves with the resources. */
  wakeParked(limit: number): Promise<string[]>
  /** Milliseconds until the next resource comes due or is freed by an ended lease; negative when it already is. */
  nextDueIn(): Promise<number | undefined>
  /** Looks whether the clock was set since the last look, and if so ends every wait and begins every lease anew; resolves with whether it was. */
  followClock(leaseMs: number): Promise<boolean>
  /** Takes a resource that is due; `undefined` when it is not due or another holds it, or the clock was set and `followClock` was not called since. `alone` says that nothing else is in work in this process until it is given back. */
  claim(resourceId: string, leaseMs: number, handlerNames: HandlerNames, alone?: boolean): Promise<Claim | undefined>
  /** Prolongs the lease; false when the claim was lost. */
  renew(token: ClaimToken, leaseMs: number): Promise<boolean>
  /** Records all of the notes, in their order, or none. Throws `ClaimLost`. */
  record(token: ClaimToken, notes: readonly Note[]): Promise<void>
  /** Records the notes and gives the resource back, to come due after `dueInMs`, or after `restMs` if an event newer than `newestEventId` was stored meanwhile, or at once if parked work of it was retried meanwhile; events of the next `restMs` wait for their end. Resolves with the delay set. Throws `ClaimLost`. */
  release(token: ClaimToken, next: Release): Promise<number | undefined>
  /** The bodies of all events of the resource, oldest first. */
  bodies(resourceId: string): Promise<{ eventId: number; body: Uint8Array }[]>
}

export function createClaims(core: Core): Claims {
  const { db, storage, clock, commits, writeTo, gather, seal, documents } = core
  let hasLooked = false
  const claim = gather<ClaimRequest, Claim | undefined>({
    touches: ({ resourceId }) => [resourceId],
    async run(trx, requests, now) {
      // Where the clock was set, the lease of somebody who works may seem to have ended.
      if (clock.pending() > 0) return requests.map(() => ({ result: undefined }))
      const claims = await claimAll(trx, requests, { processName: storage.processName, now, documents })
      return claims.map((result) => ({ result }))
    },
  })
  const record = gather<Recording, number | undefined>({
    touches: ({ token }) => [token.resourceId],
    run: (trx, recordings, now) => recordAll(trx, recordings, { now, documents, seal, keepHolds: storage.keepHolds }),
  })

  return {
    due: async (limit) => readDue(db, limit, await storage.now(db)),
    async wakeParked(limit) {
      // Read outside the write path: mostly there is none.
      const work = await findParkedAgain(db, limit, await storage.now(db))
      if (work.length === 0) return []
      return commits.write(
        (trx, now) => wakeParked(trx, work, now),
        () => resourcesOf(work),
      )
    },
    nextDueIn: async () => readNextDueIn(db, await storage.now(db)),
    async followClock(leaseMs) {
      const now = await storage.now(db)
      const steps = clock.pending()
      const wasSet = steps > 0 || (!hasLooked && (await isBehindEvents(db, now)))
      if (wasSet) await commits.write((trx, now) => beginTimeAnew(trx, leaseMs, now))
      clock.settle(steps)
      hasLooked = true
      return wasSet
    },
    claim: (resourceId, leaseMs, handlerNames, alone = false) => claim({ resourceId, leaseMs, handlerNames, alone }),
    renew: (token, leaseMs) => writeTo(token.resourceId, (trx, now) => renewClaim(trx, token, leaseMs, { now })),
    record: async (token, notes) => void (await record({ token, notes })),
    release: (token, { notes, ...release }) => record({ token, notes, release }),
    bodies: (resourceId) => readBodies(db, resourceId, seal),
  }
}
