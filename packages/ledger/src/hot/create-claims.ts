import type { Core } from '../core.ts'
import { type Claim, type ClaimRequest, type ClaimToken, type HandlerNames, ClaimLost, type GiveBack } from './claim.ts'
import { askClaimable, type ClaimableRow, claimAll, renewClaim } from './claims.ts'
import { resetTimes, isBehindRecords } from './clock-steps.ts'
import { readBodies, readDue, readNextDueIn } from './reads.ts'
import { resourcesOf } from './work-filter.ts'
import { makeRetried } from './make-due.ts'
import { findParkedAgain, wakeParked } from './wake-parked.ts'
import type { Note, Release } from './notes.ts'
import type { Transaction } from 'kysely'
import type { Settled } from './group-commit.ts'
import { askClaimedStates, type ClaimedState, releaseAll } from './claimed-states.ts'
import type { Documents } from '../sealing/documents.ts'
import { findResumed } from './resumed.ts'
import { setJournalHeads } from './journal-rows.ts'
import { asked } from './statement.ts'
import { recordNotes } from './record-notes.ts'
import type { Storage } from '../storage.ts'
import type { Tables } from '../tables.ts'

/** Finds due resources, claims them, and records the work on them. */
export interface Claims {
  /** Resources that are due and free, longest waiting first. */
  due(limit: number): Promise<string[]>
  /** Makes up to `limit` pieces of parked work due whose retry time has come; they stay parked until they succeed. Resolves with the resources. */
  wakeParked(limit: number): Promise<string[]>
  /** Milliseconds until the next resource comes due or a lease on one ends; negative when one is due. */
  nextDueIn(): Promise<number | undefined>
  /** Checks for clock steps since the last call; after one, ends every wait and restarts every lease. Resolves with whether there was one. */
  followClock(leaseMs: number): Promise<boolean>
  /** Claims a due resource; `undefined` if it is not due or not free, or if the clock stepped since the last `followClock`. `alone`: this process works on nothing else until the release. */
  claim(resourceId: string, leaseMs: number, handlerNames: HandlerNames, alone?: boolean): Promise<Claim | undefined>
  /** Renews the lease; false when the claim was lost. */
  renew(token: ClaimToken, leaseMs: number): Promise<boolean>
  /** Records all of the notes in order, or none. Throws `ClaimLost`. */
  record(token: ClaimToken, notes: readonly Note[]): Promise<void>
  /** Records the notes and releases the resource: due after `dueInMs`, after `restMs` if a newer event was stored, at once if its parked work was retried. Events of the next `restMs` wait for their end. Resolves with the delay set. Throws `ClaimLost`. */
  release(token: ClaimToken, next: Release): Promise<number | undefined>
  /** The bodies of all events of the resource, oldest first. */
  bodies(resourceId: string): Promise<{ eventId: number; body: Uint8Array }[]>
}

export function createClaims(core: Core): Claims {
  const { db, storage, clock, commits, writeTo, gather, seal, documents } = core
  let hasLooked = false
  const claim = gather<ClaimRequest, Claim | undefined, readonly ClaimableRow[]>({
    touches: ({ resourceId }) => [resourceId],
    ask: askClaimable,
    async run(trx, requests, now, found) {
      // After a clock step, a live worker's lease may seem to have ended.
      if (clock.pending() > 0) return requests.map(() => ({ result: undefined }))
      const { answer } = await claimAll(trx, requests, { found, processName: storage.processName, now, documents })
      return requests.map((request) => ({ result: asked(answer.then((claims) => claims.get(request))).answer }))
    },
  })
  const record = gather<Recording, number | undefined, readonly ClaimedState[]>({
    touches: ({ token }) => [token.resourceId],
    ask: (trx, recordings) =>
      askClaimedStates(
        trx,
        recordings.map(({ token }) => token),
      ),
    run: (trx, recordings, now, found) =>
      recordAll(trx, recordings, { found, now, documents, keepPauses: storage.keepPauses }),
  })

  return {
    due: async (limit) => readDue(db, limit, await storage.now(db)),
    async wakeParked(limit) {
      // Read outside the write path: usually there is none.
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
      const wasSet = steps > 0 || (!hasLooked && (await isBehindRecords(db, now)))
      if (wasSet) await commits.write((trx, now) => resetTimes(trx, leaseMs, now))
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

/** Notes of a claim's holder, and how the resource is given back, if it is. */
export interface Recording {
  token: ClaimToken
  notes: readonly Note[]
  release?: GiveBack
}

/** Records the notes of claims still held and releases those to be given back. Resolves with the milliseconds until each is due, or `ClaimLost`. */
export async function recordAll(
  trx: Transaction<Tables>,
  recordings: readonly Recording[],
  {
    found,
    ...deps
  }: {
    found: readonly ClaimedState[]
    now: number
    documents: Documents
    keepPauses: Storage['keepPauses']
  },
): Promise<Settled<number | undefined>[]> {
  const held = recordings.flatMap((recording, index) => {
    const state = found[index]
    return state === undefined || state instanceof ClaimLost ? [] : { ...recording, held: state }
  })
  const resumed = await findResumed(trx, held, deps.keepPauses)
  const journalIds = await recordNotes(trx, held, { ...deps, isResumed: (note) => resumed.notes.has(note) })
  await makeRetried(trx, [...resumed.resourceIds], deps.now)
  const released = held.flatMap(({ token, held, release }) => {
    const retries = held.retries + (resumed.resourceIds.has(token.resourceId) ? 1 : 0)
    return release === undefined ? [] : { token, held: { ...held, retries }, release }
  })
  const kept = new Map(journalIds)
  for (const { held } of released) kept.delete(held.number)
  await setJournalHeads(trx, kept)
  const delays = await releaseAll(trx, released, { ...deps, journalIds })
  const delayOf = new Map(released.map(({ token }, index) => [token, delays[index]]))
  return recordings.map(({ token }, index) => {
    const state = found[index]
    return state instanceof ClaimLost ? { error: state } : { result: delayOf.get(token) }
  })
}
