import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import { acceptAll } from './accept.ts'
import { claimResource, releaseClaim, renewClaim } from './claims.ts'
import { createDocuments } from './documents.ts'
import { createGroupCommit } from './group-commit.ts'
import type { Accepted, Delivery, Ledger } from './ledger.ts'
import { readParked, recordFailure, recordSuccess, releaseParked, saveSnapshot } from './progress.ts'
import {
  readBodies,
  readBody,
  readCounts,
  readDue,
  readEventsAfter,
  readNextDueAt,
  readPollable,
  readResource,
} from './reads.ts'
import { pollSoon } from './polls.ts'
import { createRejections } from './rejections.ts'
import type { Seal } from './seal.ts'
import type { Tables } from './tables.ts'

interface Arrival {
  delivery: Delivery
  resolve(accepted: Accepted): void
  reject(error: unknown): void
}

/** Deliveries stored by one statement; SQLite allows 32,766 parameters, and each delivery takes nine. */
const largestBatch = 1_000

/** Makes the ledger over an open database that has the newest schema; `close` closes that too. */
export function createLedger({ db, clock, seal }: { db: Kysely<Tables>; clock: Clock; seal: Seal }): Ledger {
  const commits = createGroupCommit(db)
  const documents = createDocuments(seal)
  const rejections = createRejections(commits, () => clock.now())
  const arrivals: Arrival[] = []

  /** Deliveries that arrive before the next commit are stored by the same few statements, not only in the same transaction. */
  async function acceptArrivals(): Promise<void> {
    const taken: Arrival[] = []
    try {
      const accepted = await commits.write((trx) => {
        // A group commit that failed for another's fault runs this again: what was taken stays taken.
        taken.push(...arrivals.splice(0, largestBatch - taken.length))
        const deliveries = taken.map(({ delivery }) => delivery)
        return acceptAll(trx, deliveries, { seal, now: clock.now() })
      })
      for (const [index, result] of accepted.entries()) taken[index]?.resolve(result)
    } catch (error) {
      for (const arrival of taken) arrival.reject(error)
    }
    if (arrivals.length > 0) await acceptArrivals()
  }

  return {
    accept: (delivery) =>
      new Promise((resolve, reject) => {
        arrivals.push({ delivery, resolve, reject })
        if (arrivals.length === 1) void acceptArrivals()
      }),
    reject: (rejection) => rejections.note(rejection),

    due: (limit) => readDue(db, limit, clock.now()),
    nextDueAt: () => readNextDueAt(db),

    claim: (id, leaseMs) => commits.write((trx) => claimResource(trx, id, leaseMs, { now: clock.now(), documents })),
    renew: (claim, leaseMs) => commits.write((trx) => renewClaim(trx, claim, leaseMs, { now: clock.now() })),
    release: (claim, next) => commits.write((trx) => releaseClaim(trx, claim, next, { now: clock.now() })),

    eventsAfter: (resourceId, afterId) => readEventsAfter(db, resourceId, afterId),
    body: (eventId) => readBody(db, eventId, seal),
    bodies: (resourceId) => readBodies(db, resourceId, seal),
    saveSnapshot: (claim, snapshot, facts) =>
      commits.write((trx) => saveSnapshot(trx, claim, snapshot, { ...facts, now: clock.now(), documents })),
    succeed: (claim, success) => commits.write((trx) => recordSuccess(trx, claim, success, documents)),
    fail: (claim, failure) => commits.write((trx) => recordFailure(trx, claim, failure)),

    isEffectDone: async (resourceId, handler, key) =>
      (await db
        .selectFrom('effects')
        .select('done_at')
        .where('resource_id', '=', resourceId)
        .where('handler', '=', handler)
        .where('key', '=', key)
        .executeTakeFirst()) !== undefined,
    recordEffect: (resourceId, handler, key) =>
      commits.write(async (trx) => {
        const row = { resource_id: resourceId, handler, key, done_at: clock.now() }
        await trx
          .insertInto('effects')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      }),

    pollable: (limit) => readPollable(db, limit, { now: clock.now(), documents }),
    pollSoon: (since) => commits.write((trx) => pollSoon(trx, since, clock.now())),
    notePoll: (resourceId, nextPollAt) =>
      commits.write(async (trx) => {
        await trx
          .updateTable('resources')
          .set((eb) => ({ next_poll_at: nextPollAt ?? null, reads: eb('reads', '+', 1) }))
          .where('id', '=', resourceId)
          .execute()
      }),

    parked: (limit) => commits.write((trx) => readParked(trx, limit)),
    releaseParked: (filter) => commits.write((trx) => releaseParked(trx, filter, clock.now())),

    resource: (id) => readResource(db, id),
    counts: () => readCounts(db, clock.now()),
    async close() {
      await rejections.close()
      await commits.idle()
      await db.destroy()
    },
  }
}
