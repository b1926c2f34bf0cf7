import { acceptAll } from './accept.ts'
import { beginTimeAnew, createClockSteps, isBehindEvents } from './clock-steps.ts'
import { assertHeld, claimResource, releaseClaim, renewClaim } from './claims.ts'
import { createDocuments } from './documents.ts'
import { readEffect, recordEffect } from './effects.ts'
import { createGroupCommit } from './group-commit.ts'
import { readFailing } from './failing.ts'
import type { Accepted, Delivery, Ledger } from './ledger.ts'
import { readMemory, writeMemory } from './memory.ts'
import { recordNotes, retryParked } from './progress.ts'
import { readBodies, readCounts, readDue, readNextDueIn, readParked, readPollable, readResource } from './reads.ts'
import { noteOutage, readOutages } from './outages.ts'
import { pollSoon } from './polls.ts'
import { purgeEvents, purgeSnapshots } from './purge.ts'
import { readRefused } from './refused.ts'
import { createRejections } from './rejections.ts'
import type { Seal } from './seal.ts'
import type { Storage } from './storage.ts'

interface Arrival {
  delivery: Delivery
  resolve(accepted: Accepted): void
  reject(error: unknown): void
}

/** Deliveries stored in one transaction: a larger group would keep its first member waiting. */
const maxBatchSize = 1_000

/** Makes the ledger over an open database that has the newest schema; `close` closes that too. */
export function createLedger({ storage: opened, seal }: { storage: Storage; seal: Seal }): Ledger {
  const { db } = opened
  const clock = createClockSteps(opened)
  const storage = { ...opened, now: clock.now }
  let hasLooked = false
  const commits = createGroupCommit(storage)
  const documents = createDocuments(seal)
  const rejections = createRejections(commits)
  const arrivals: Arrival[] = []
  /** Whether a write is under way that will take them. */
  let isExpected = false

  /** Deliveries that arrive before the next commit are stored by the same few statements, not only in the same transaction. */
  async function acceptArrivals(): Promise<void> {
    const taken: Arrival[] = []
    const take = () => {
      taken.push(...arrivals.splice(0, maxBatchSize))
      // What did not fit, and what comes from now on, is for the next.
      isExpected = false
      if (arrivals.length > 0) expectArrivals()
    }
    try {
      const deliveries = () => taken.map(({ delivery }) => delivery)
      const accepted = await commits.write(
        (trx, now) => acceptAll(trx, deliveries(), { seal, now }),
        () => {
          // A group commit that failed for another's fault asks again: what was taken stays taken.
          if (taken.length === 0) take()
          return deliveries().map(({ resourceId }) => resourceId ?? '')
        },
      )
      for (const [index, result] of accepted.entries()) taken[index]?.resolve(result)
    } catch (error) {
      // Where not even the transaction began, nothing was taken: then it fails for those that wait.
      if (taken.length === 0) take()
      for (const arrival of taken) arrival.reject(error)
    }
  }

  function expectArrivals(): void {
    if (isExpected) return
    isExpected = true
    void acceptArrivals()
  }

  const writeTo = <T>(resourceId: string, work: Parameters<typeof commits.write<T>>[0]) =>
    commits.write(work, () => [resourceId])

  return {
    accept: (delivery) =>
      new Promise((resolve, reject) => {
        arrivals.push({ delivery, resolve, reject })
        expectArrivals()
      }),
    reject: (rejection) => rejections.note(rejection),

    due: async (limit) => readDue(db, limit, await storage.now(db)),
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
    claim: (id, leaseMs, handlerNames) =>
      // Where the clock was set, the lease of somebody who works may seem to have ended.
      writeTo(id, async (trx, now) =>
        clock.pending() > 0 ? undefined : claimResource(trx, id, { leaseMs, handlerNames, now, documents }),
      ),
    renew: (token, leaseMs) => writeTo(token.resourceId, (trx, now) => renewClaim(trx, token, leaseMs, { now })),
    record: (token, notes) =>
      writeTo(token.resourceId, async (trx, now) => {
        await assertHeld(trx, token)
        await recordNotes(trx, token, notes, { now, documents })
      }),
    release: (token, next) =>
      writeTo(token.resourceId, async (trx, now) => {
        const newestEventId = await assertHeld(trx, token)
        await recordNotes(trx, token, next.notes, { now, documents })
        return releaseClaim(trx, token, next, { newestEventId, now })
      }),

    bodies: (resourceId) => readBodies(db, resourceId, seal),

    effect: (resourceId, handler, key) => readEffect(db, { resourceId, handler, key }, documents),
    recordEffect: (resourceId, handler, key, json) =>
      writeTo(resourceId, (trx, now) => recordEffect(trx, { resourceId, handler, key, json }, { now, documents })),

    readMemory: (system, resourceId, role) => readMemory(db, { system, resourceId, role }),
    writeMemory: (token, system, role, remembered) =>
      writeTo(token.resourceId, async (trx, now) => {
        await assertHeld(trx, token)
        await writeMemory(trx, { system, resourceId: token.resourceId, role }, remembered, now)
      }),

    pollable: async (limit) => readPollable(db, limit, { now: await storage.now(db), documents }),
    pollSoon: (since) => commits.write((trx, now) => pollSoon(trx, since, now)),
    notePoll: (resourceId, pollInMs) =>
      writeTo(resourceId, async (trx, now) => {
        await trx
          .updateTable('resources')
          .set((eb) => ({ next_poll_at: pollInMs === undefined ? null : now + pollInMs, reads: eb('reads', '+', 1) }))
          .where('id', '=', resourceId)
          .execute()
      }),

    parked: (limit) => readParked(db, limit),
    retryParked: (filter) => commits.write((trx, now) => retryParked(trx, filter, now)),

    failing: async (handlerNames) => readFailing(db, handlerNames, await storage.now(db)),
    refused: async (withinMs) => readRefused(db, (await storage.now(db)) - withinMs),

    outages: async () => readOutages(db, await storage.now(db)),
    noteOutage: (system, forMs) => commits.write((trx, now) => noteOutage(trx, system, forMs, now)),

    async purge(keepMs, cursor) {
      const step = await commits.write((trx, now) => purgeEvents(trx, cursor, now - keepMs))
      if (!step.isDone) return { deleted: step.deleted, cursor: step.cursor }
      const forgotten = await commits.write((trx, now) => purgeSnapshots(trx, now - keepMs))
      await storage.reclaim()
      return { deleted: step.deleted, cursor: forgotten === 0 ? undefined : step.cursor }
    },

    resource: (id) => readResource(db, id),
    counts: async () => readCounts(db, await storage.now(db)),
    async close() {
      await rejections.close()
      await commits.idle()
      await db.destroy()
    },
  }
}
