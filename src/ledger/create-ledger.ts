import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { acceptAll } from './accept.ts'
import { browseEvents, browseResources } from './browse.ts'
import { beginTimeAnew, createClockSteps, isBehindEvents } from './clock-steps.ts'
import { assertHeld, claimResource, releaseClaim, renewClaim } from './claims.ts'
import { createCounts } from './counts.ts'
import { createDocuments } from './documents.ts'
import { beginEffect, forgetBegun, readEffect, recordEffect } from './effects.ts'
import { findResources } from './find.ts'
import { createGroupCommit } from './group-commit.ts'
import { readHistory } from './history.ts'
import { readFailing } from './failing.ts'
import { readLastRuns } from './last-runs.ts'
import {
  addHold,
  findHeldDue,
  findHeldWork,
  isLetThrough,
  letThrough,
  readDueLetThrough,
  readHolds,
  removeHold,
} from './holds.ts'
import { type Accepted, type Delivery, heldErrors, type Hold, type Ledger, type WorkFilter } from './ledger.ts'
import { readMemory, writeMemory } from './memory.ts'
import { recordNotes } from './progress.ts'
import { readBodies, readDue, readNextDueIn, readParked, readResource } from './reads.ts'
import { noteOutage, readOutages } from './outages.ts'
import { forgetOwnChange, noteOwnChange } from './own-changes.ts'
import {
  claimPolls,
  findPollable,
  findUnsettled,
  forgetUnreadable,
  pollNow,
  readNextPollIn,
  recordPoll,
  savePolled,
} from './polls.ts'
import { purgeEvents, purgeSnapshots } from './purge.ts'
import { readRefused } from './refused.ts'
import { createRejections } from './rejections.ts'
import { findOpenWork, makeDue, type WorkKey } from './retry-work.ts'
import type { Seal } from './seal.ts'
import type { Storage } from './storage.ts'
import { readOpenErrors, readWaiting } from './waiting.ts'
import { readWithoutHandler } from './without-handler.ts'

interface Arrival {
  delivery: Delivery
  resolve(accepted: Accepted): void
  reject(error: unknown): void
}

/** Deliveries stored in one transaction: a larger group would keep its first member waiting. */
const maxBatchSize = 1_000

/** How long writes in progress may take as the ledger is closed, in milliseconds. */
const closeTimeoutMs = 5_000

/** Makes the ledger over an open database that has the newest schema; `close` closes that too. */
export function createLedger({ storage: opened, seal }: { storage: Storage; seal: Seal }): Ledger {
  const { db } = opened
  const clock = createClockSteps(opened)
  const storage = { ...opened, now: clock.now }
  let hasLooked = false
  const commits = createGroupCommit(storage)
  const documents = createDocuments(seal)
  const rejections = createRejections(commits)
  const counts = createCounts(db)
  const arrivals: Arrival[] = []
  /** Whether a write is under way that will take them. */
  let isExpected = false
  let closed: Promise<void> | undefined

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
          // Asked again when the transaction is run again, because another write in it failed: what was taken stays taken.
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

  async function close(): Promise<void> {
    const written = rejections.close().then(() => commits.idle())
    // A database that hangs must not keep the process from ending.
    await Promise.race([written, sleep(closeTimeoutMs, undefined, { ref: false })])
    await db.destroy()
  }

  const writeTo = <T>(resourceId: string, work: Parameters<typeof commits.write<T>>[0]) =>
    commits.write(work, () => [resourceId])

  async function makeAllDue(filter: WorkFilter, options: { keepAttempts: boolean }): Promise<string[]> {
    const made = new Set<string>()
    for (let after: WorkKey | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
      await nextTurn()
      const { resourceIds, last } = await findOpenWork(db, filter, after)
      if (resourceIds.length > 0)
        await commits.write(
          (trx, now) => makeDue(trx, resourceIds, filter, { ...options, now }),
          () => resourceIds,
        )
      for (const id of resourceIds) made.add(id)
      after = last
    }
    return [...made]
  }

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
    claim: (id, leaseMs, handlerNames, alone = false) =>
      // Where the clock was set, the lease of somebody who works may seem to have ended.
      writeTo(id, async (trx, now) =>
        clock.pending() > 0
          ? undefined
          : claimResource(trx, id, {
              leaseMs,
              handlerNames,
              alone,
              processName: storage.processName,
              now,
              documents,
            }),
      ),
    renew: (token, leaseMs) => writeTo(token.resourceId, (trx, now) => renewClaim(trx, token, leaseMs, { now })),
    record: (token, notes) =>
      writeTo(token.resourceId, async (trx, now) => {
        const held = await assertHeld(trx, token)
        await recordNotes(trx, token, notes, { now, documents, seal, held })
      }),
    release: (token, next) =>
      writeTo(token.resourceId, async (trx, now) => {
        const held = await assertHeld(trx, token)
        await recordNotes(trx, token, next.notes, { now, documents, seal, held })
        return releaseClaim(trx, token, next, { held, now })
      }),

    bodies: (resourceId) => readBodies(db, resourceId, seal),

    effect: (resourceId, handler, key) => readEffect(db, { resourceId, handler, key }, documents),
    beginEffect: (resourceId, handler, key) =>
      writeTo(resourceId, (trx, now) => beginEffect(trx, { resourceId, handler, key }, now)),
    forgetBegun: (resourceId, handler, key) =>
      writeTo(resourceId, (trx) => forgetBegun(trx, { resourceId, handler, key })),
    recordEffect: (resourceId, handler, key, json) =>
      writeTo(resourceId, (trx, now) => recordEffect(trx, { resourceId, handler, key, json }, { now, documents })),

    readMemory: (system, resourceId, role) => readMemory(db, { system, resourceId, role }),
    writeMemory: (token, system, role, remembered) =>
      writeTo(token.resourceId, async (trx, now) => {
        await assertHeld(trx, token)
        await writeMemory(trx, { system, resourceId: token.resourceId, role }, remembered, now)
      }),

    noteOwnChange: (resourceId, change) =>
      writeTo(resourceId, (trx, now) => noteOwnChange(trx, resourceId, change, now)),
    forgetOwnChange: (resourceId, change) =>
      writeTo(resourceId, (trx, now) => forgetOwnChange(trx, resourceId, change, now)),

    async claimPolls(limit, holdMs) {
      const ids = await findPollable(db, limit, { now: await storage.now(db) })
      const touches = () => ids
      const polls = await commits.write((trx, now) => claimPolls(trx, ids, { now, holdMs, documents }), touches)
      return { polls, more: ids.length === limit }
    },
    nextPollIn: async () => readNextPollIn(db, { now: await storage.now(db) }),
    recordPoll: (poll, result) =>
      writeTo(poll.resourceId, async (trx, now) => {
        const isRecorded = await recordPoll(trx, poll, result, { now })
        if (!isRecorded || result.of !== 'changed') return isRecorded
        const [accepted] = await acceptAll(trx, [result.event], { seal, now })
        // acceptAll answers one result for each delivery, and got one.
        const { eventId } = accepted as Accepted
        await savePolled(trx, poll.resourceId, { ...result, eventId }, { now, documents, seal })
        return true
      }),
    async pollSoon(since) {
      await commits.write((trx) => forgetUnreadable(trx))
      let count = 0
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        // Read outside the write path, in small steps, with a turn of the event loop between them: whoever waits for a commit waits for one of them at most.
        await nextTurn()
        const step = await findUnsettled(db, cursor, since)
        const { ids } = step
        if (ids.length > 0)
          await commits.write(
            (trx, now) => pollNow(trx, ids, { now }),
            () => ids,
          )
        count += ids.length
        cursor = step.cursor
      }
      return count
    },

    parked: (limit) => readParked(db, limit),
    retryWork: (filter) => makeAllDue(filter, { keepAttempts: false }),
    waiting: async (filter, limit) => readWaiting(db, filter, limit, await storage.now(db)),
    openErrors: (limit) => readOpenErrors(db, limit),

    failing: async (handlerNames) => readFailing(db, handlerNames, await storage.now(db)),
    withoutHandler: (handlerNames, resourceId) => readWithoutHandler(db, handlerNames, resourceId),
    lastRuns: async () => readLastRuns(db, await storage.now(db)),
    refused: async (withinMs) => readRefused(db, (await storage.now(db)) - withinMs),

    outages: async () => readOutages(db, await storage.now(db)),
    noteOutage: (system, forMs) => commits.write((trx, now) => noteOutage(trx, system, forMs, now)),

    holds: async () => readHolds(db, await storage.now(db)),
    hold: (hold) => commits.write((trx, now) => addHold(trx, hold, now)),
    async liftHold(hold) {
      const wasHeld = await commits.write((trx) => removeHold(trx, hold))
      const resourceIds = hold.kind === 'all' ? [] : await makeAllDue(heldBy(hold), { keepAttempts: true })
      return { wasHeld, resourceIds }
    },
    async letThrough(hold, limit) {
      // One more tells whether others wait.
      const found =
        hold.kind === 'all'
          ? await findHeldDue(db, limit + 1, await storage.now(db))
          : await findHeldWork(db, heldBy(hold), limit + 1)
      const resourceIds = found.slice(0, limit)
      if (resourceIds.length > 0)
        await commits.write(
          async (trx, now) => {
            await letThrough(trx, resourceIds, now)
            if (hold.kind !== 'all') await makeDue(trx, resourceIds, heldBy(hold), { now, keepAttempts: true })
          },
          () => resourceIds,
        )
      return { resourceIds, more: found.length > limit }
    },
    isLetThrough: (resourceId) => isLetThrough(db, resourceId),
    dueLetThrough: async (limit) => readDueLetThrough(db, limit, await storage.now(db)),

    async purge(keep, cursor) {
      const step = await commits.write((trx, now) => purgeEvents(trx, cursor, { now, ...keep }))
      const forgotten = step.isDone ? await commits.write((trx, now) => purgeSnapshots(trx, { now, ...keep })) : 0
      const isReclaimed = await storage.reclaim()
      const isOver = step.isDone && forgotten === 0 && isReclaimed
      return { deleted: step.deleted, emptied: step.emptied, cursor: isOver ? undefined : step.cursor }
    },

    events: (filter, limit) => browseEvents(db, filter, limit),
    resources: (filter, limit) => browseResources(db, filter, limit),
    resource: (id) => readResource(db, id),
    history: (id, limit, before) => readHistory(db, { id, limit, before }, documents),
    find: (sought, limit) => findResources(db, sought, limit, { documents, seal }),
    async counts() {
      storage.assertDurable()
      return counts.read(await storage.now(db))
    },
    close: () => (closed ??= close()),
  }
}

/** The work that waits for this hold. */
function heldBy({ kind, name }: Pick<Hold, 'kind' | 'name'>) {
  return kind === 'handler' ? { errorCode: heldErrors.handler, handler: name } : { errorCode: heldErrors.system }
}
