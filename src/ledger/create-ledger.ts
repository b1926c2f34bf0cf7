import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import { acceptAll } from './accept.ts'
import { endAlertTurn, readAlertTargets, takeAlertTurn } from './alert-targets.ts'
import { alertsLock, listAlerts, noteAlerts, readOpenAlerts } from './alerts.ts'
import { appendAudit } from './audit.ts'
import type { BodyStore } from './bodies/body-store.ts'
import { createMovedBodies } from './bodies/moved-bodies.ts'
import type { AuditDetails, AuditEntry } from './audit-entry.ts'
import { beginTimeAnew, createClockSteps, isBehindEvents } from './clock-steps.ts'
import { type BatchDeps, createBatch } from './batch.ts'
import { claimAll, type ClaimRequest, renewClaim } from './claims.ts'
import { createCounts } from './counts.ts'
import { createDocuments } from './documents.ts'
import { type Discarded, discardWork } from './discard.ts'
import { countNewDrift, createDriftNotes, purgeDrift, readDrift } from './drift.ts'
import { eraseBodies, eraseResource } from './erase.ts'
import { findPatient } from './find-patient.ts'
import { nameOf } from './lookups.ts'
import { beginEffect, forgetBegun, readEffect, recordEffect } from './effects.ts'
import { findResources } from './find.ts'
import { createGroupCommit } from './group-commit.ts'
import { readHistory } from './history.ts'
import { countFailedSince, readFailedWork, readFailureGroups, retryFailed } from './failures.ts'
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
import {
  type Accepted,
  type Act,
  type Claim,
  type Delivery,
  heldErrors,
  type Hold,
  type Ledger,
  type PieceOfWork,
  type WorkFilter,
} from './ledger.ts'
import { inSteps } from './in-steps.ts'
import { listEvents, listRejections, listResources } from './lists.ts'
import { listOutcomes } from './list-outcomes.ts'
import { type Memorandum, readMemory, writeMemories } from './memory.ts'
import { readMostTried } from './most-tried.ts'
import { recordAll, type Recording } from './record.ts'
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
import { purgeEvents } from './purge.ts'
import { countContents, noContents, purgeContents } from './purge-contents.ts'
import { listAudit, readAudit } from './read-audit.ts'
import { readRefused } from './refused.ts'
import { createRejections } from './rejections.ts'
import { findOpenWork, makeDue, resourcesOf } from './retry-work.ts'
import { resealPart } from './reseal.ts'
import { openSnapshot, readSnapshot } from './reveal.ts'
import type { Seal } from './seal.ts'
import type { Storage } from './storage.ts'
import { readOpenErrors, readWaiting } from './waiting.ts'
import { listWaitingForPeople } from './waiting-for-people.ts'
import type { Tables } from './tables.ts'
import { noteUpkeep, readUpkeep } from './upkeep.ts'
import { verifyAudit } from './verify-audit.ts'
import { readWithoutHandler } from './without-handler.ts'
import { readPart } from './walk.ts'

/** Deliveries stored in one transaction: a larger group would keep its first member waiting. */
const maxBatchSize = 1_000

/** What is noted once old contents are deleted. */
const retentionTask = 'retention'

/** Resources that one entry of the audit trail names. */
const maxNamed = 1_000

/** Resources whose values are sealed anew in one commit: few enough that no delivery waits for it. */
const resealedAtOnce = 20

/** How long writes in progress may take as the ledger is closed, in milliseconds. */
const closeTimeoutMs = 5_000

/** Makes the ledger over an open database that has the newest schema; `close` closes that too. With a store of bodies, those older than a day move there. */
export function createLedger({
  storage: opened,
  seal,
  bodyStore,
}: {
  storage: Storage
  seal: Seal
  bodyStore?: BodyStore | undefined
}): Ledger {
  const { db } = opened
  const clock = createClockSteps(opened)
  const storage = { ...opened, now: clock.now }
  let hasLooked = false
  const commits = createGroupCommit(storage)
  const documents = createDocuments(seal)
  const rejections = createRejections(commits)
  const driftNotes = createDriftNotes(commits)
  const counts = createCounts(db)
  const moved = createMovedBodies({
    db,
    seal,
    store: bodyStore,
    now: () => storage.now(db),
    write: (work, touches) => commits.write(work, touches),
  })
  let closed: Promise<void> | undefined

  const gather = <Item, Result>(deps: Omit<BatchDeps<Item, Result>, 'commits' | 'isRefused' | 'maxSize'>) =>
    createBatch({ commits, isRefused: storage.isRefused, maxSize: maxBatchSize, ...deps })

  const accept = gather<Delivery, Accepted>({
    touches: ({ resourceId = '' }) => [resourceId],
    run: async (trx, deliveries, now) =>
      (await acceptAll(trx, deliveries, { seal, now, findKnown: storage.findKnown })).map((result) => ({ result })),
  })
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
    run: (trx, recordings, now) => recordAll(trx, recordings, { now, documents, seal }),
  })

  const remember = gather<Memorandum, undefined>({
    touches: ({ token }) => [token.resourceId],
    run: writeMemories,
  })

  async function close(): Promise<void> {
    const written = Promise.allSettled([rejections.close(), driftNotes.close()]).then(() => commits.idle())
    // A database that hangs must not keep the process from ending.
    await Promise.race([written, sleep(closeTimeoutMs, undefined, { ref: false })])
    await db.destroy()
  }

  const note = (trx: Transaction<Tables>, now: number, entries: readonly AuditEntry[]) =>
    appendAudit(trx, entries, { now, seal, lock: storage.lockAudit })
  /** Of resources that are due again by somebody's act; where there are none, nothing happened. */
  async function noteDue(
    trx: Transaction<Tables>,
    now: number,
    { resourceIds, details, ...entry }: AuditEntry & { resourceIds: readonly string[] },
  ): Promise<void> {
    if (resourceIds.length === 0) return
    const named = { count: resourceIds.length, resources: resourceIds.slice(0, maxNamed) }
    await note(trx, now, [{ ...entry, details: { ...details, ...named } }])
  }
  /** By what the trail tells one patient from another; without a key it would be as good as the number itself. */
  const namePatient = (value: string): AuditDetails =>
    seal.sign('') === undefined ? {} : { patient: seal.digest(nameOf({ field: 'internal_id', value })) }
  const writeTo = <T>(resourceId: string, work: Parameters<typeof commits.write<T>>[0]) =>
    commits.write(work, () => [resourceId])

  const openSteps = (filter: WorkFilter) =>
    inSteps(async (cursor?: PieceOfWork) => {
      // Others get their turn in between.
      await nextTurn()
      return findOpenWork(db, filter, cursor)
    })

  async function makeAllDue(filter: WorkFilter, entry: AuditEntry, { keepAttempts = false } = {}): Promise<string[]> {
    const made = new Set<string>()
    for await (const { work } of openSteps(filter)) {
      const resourceIds = resourcesOf(work)
      if (resourceIds.length === 0) break
      const due = await commits.write(
        async (trx, now) => {
          const due = await makeDue(trx, resourceIds, filter, { keepAttempts, now })
          await noteDue(trx, now, { ...entry, resourceIds: due })
          return due
        },
        () => resourceIds,
      )
      for (const id of due) made.add(id)
    }
    return [...made]
  }

  return {
    accept,
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
    claim: (resourceId, leaseMs, handlerNames, alone = false) => claim({ resourceId, leaseMs, handlerNames, alone }),
    renew: (token, leaseMs) => writeTo(token.resourceId, (trx, now) => renewClaim(trx, token, leaseMs, { now })),
    record: async (token, notes) => void (await record({ token, notes })),
    release: (token, { notes, ...release }) => record({ token, notes, release }),

    async bodies(resourceId) {
      const found = [...(await readBodies(db, resourceId, seal)), ...(await moved.open(resourceId))]
      return found.toSorted((a, b) => a.eventId - b.eventId)
    },

    effect: (resourceId, handler, key) => readEffect(db, { resourceId, handler, key }, documents),
    beginEffect: (resourceId, handler, key) =>
      writeTo(resourceId, (trx, now) => beginEffect(trx, { resourceId, handler, key }, now)),
    forgetBegun: (resourceId, handler, key) =>
      writeTo(resourceId, (trx) => forgetBegun(trx, { resourceId, handler, key })),
    recordEffect: (resourceId, handler, key, json) =>
      writeTo(resourceId, (trx, now) => recordEffect(trx, { resourceId, handler, key, json }, { now, documents })),

    readMemory: (system, resourceId) => readMemory(db, { system, resourceId }),
    writeMemory: (token, system, role, remembered) => remember({ token, system, role, remembered }),

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
        if (!isRecorded) return undefined
        if (result.of !== 'changed') return {}
        const [accepted] = await acceptAll(trx, [result.event], { seal, now, findKnown: storage.findKnown })
        // acceptAll answers one result for each delivery, and got one.
        const { eventId, traceId } = accepted as Accepted
        await savePolled(trx, poll.resourceId, { ...result, eventId }, { now, documents, seal })
        return { traceId }
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
    retryWork: (filter, { actor, reason }) => {
      const { resourceId, handler, errorCode } = filter
      const details = errorCode === undefined ? {} : { error: errorCode }
      return makeAllDue(filter, { actor, action: 'work.retry', resourceId, handler, reason, details })
    },
    waiting: async (filter, limit) => readWaiting(db, filter, limit, await storage.now(db)),
    openErrors: (limit) => readOpenErrors(db, limit),

    failureGroups: () => readFailureGroups(db),
    failedWork: (key, limit, after) => readFailedWork(db, key, limit, after),
    countFailedSince: (key, failureId) => countFailedSince(db, key, failureId),
    retryFailed: (key, step, { actor, reason }) =>
      commits.write(async (trx, now) => {
        const resourceIds = await retryFailed(trx, key, { ...step, now })
        await noteDue(trx, now, { actor, action: 'work.retry', handler: key.handler, reason, resourceIds })
        return resourceIds
      }),

    listEvents: (filter, limit) => listEvents(db, filter, limit),
    listResources: (filter, limit, after) => listResources(db, filter, limit, after),
    listRejections: (reason, limit, before) => listRejections(db, reason, limit, before),

    listOutcomes: (filter, after) => listOutcomes(db, filter, documents, after),

    failing: async (handlerNames) => readFailing(db, handlerNames, await storage.now(db)),
    withoutHandler: (handlerNames, resourceId) => readWithoutHandler(db, handlerNames, resourceId),
    lastRuns: async () => readLastRuns(db, await storage.now(db)),
    refused: async (withinMs) => readRefused(db, (await storage.now(db)) - withinMs),

    waitingForPeople: (limit, after) => listWaitingForPeople(db, limit, after),

    noteDrift: (sightings) => driftNotes.note(sightings),
    drift: () => readDrift(db),
    newDrift: async (withinMs) => countNewDrift(db, (await storage.now(db)) - withinMs),

    outages: async () => readOutages(db, await storage.now(db)),
    noteOutage: (system, forMs) => commits.write((trx, now) => noteOutage(trx, system, forMs, now)),

    holds: async () => readHolds(db, await storage.now(db)),
    hold: (hold, act) =>
      commits.write(async (trx, now) => {
        const isNew = await addHold(trx, { ...hold, reason: act.reason }, now)
        if (isNew) await note(trx, now, [entryOf('work.pause', hold, act)])
      }),
    async liftHold(hold, act) {
      const entry = entryOf('work.resume', hold, act)
      const wasHeld = await commits.write(async (trx, now) => {
        const wasHeld = await removeHold(trx, hold)
        if (wasHeld) await note(trx, now, [entry])
        return wasHeld
      })
      const resourceIds = hold.kind === 'all' ? [] : await makeAllDue(heldBy(hold), entry, { keepAttempts: true })
      return { wasHeld, resourceIds }
    },
    async letThrough(hold, limit, act) {
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
            await noteDue(trx, now, { ...entryOf('work.resume', hold, act), resourceIds })
          },
          () => resourceIds,
        )
      return { resourceIds, more: found.length > limit }
    },
    isLetThrough: (resourceId) => isLetThrough(db, resourceId),
    dueLetThrough: async (limit) => readDueLetThrough(db, limit, await storage.now(db)),

    async purge(keep, cursor, { dryRun = false, act } = {}) {
      if (act !== undefined) await commits.write((trx, now) => note(trx, now, [{ ...act, action: 'ledger.purge' }]))
      // What only reads stays out of the way of those who write.
      const read = async <T>(work: (db: Kysely<Tables>, now: number) => Promise<T>) => work(db, await storage.now(db))
      const run = dryRun ? read : commits.write
      const part = dryRun ? undefined : await storage.purgePartition?.(cursor, { now: await storage.now(db), ...keep })
      const { isDone, ...events } =
        part?.step ?? (await run((trx, now) => purgeEvents(trx, cursor, { now, ...keep, dryRun, last: part?.last })))
      const step = { ...events, ...noContents, drift: 0 }
      if (!isDone) return step
      const drift = await run((trx, now) => purgeDrift(trx, now - keep.keepMs, dryRun))
      if (dryRun) {
        const contents = await read((trx, now) => countContents(trx, { now, ...keep }))
        return { ...step, ...contents, drift, cursor: undefined }
      }
      const contents = await commits.write((trx, now) => purgeContents(trx, { now, ...keep }))
      const isReclaimed = await storage.reclaim()
      const isOver = Object.keys(contents).length === 0 && isReclaimed
      if (isOver) await commits.write((trx, now) => noteUpkeep(trx, retentionTask, now))
      return { ...step, ...contents, drift, cursor: isOver ? undefined : events.cursor }
    },

    resource: (id) => readResource(db, id),
    history: (id, limit, before) => readHistory(db, { id, limit, before }, documents),
    find: (sought, limit) => findResources(db, sought, limit, { documents, seal }),
    async counts() {
      storage.assertDurable()
      return counts.read(await storage.now(db))
    },
    async openWork(filter) {
      const found: PieceOfWork[] = []
      for await (const { work } of openSteps(filter)) found.push(...work)
      return found
    },
    discard: (work, { actor, reason }) =>
      commits.write(
        async (trx, now) => {
          const results: Discarded[] = []
          for (const piece of work) results.push(await discardWork(trx, piece, now))
          const discarded = work.filter((_, at) => results[at] === 'discarded')
          await note(
            trx,
            now,
            discarded.map((piece) => ({ actor, action: 'work.discard', reason, ...piece })),
          )
          return results
        },
        () => resourcesOf(work),
      ),

    async reveal(resourceId, { actor, reason }) {
      const found = await commits.write(async (trx, now) => {
        const snapshot = await readSnapshot(trx, resourceId, documents)
        if (typeof snapshot !== 'string')
          await note(trx, now, [{ actor, action: 'resource.reveal', resourceId, reason }])
        return snapshot
      })
      return typeof found === 'string' ? found : openSnapshot(found)
    },

    async findPatient({ value, cursor }, { actor, reason }) {
      if (cursor === undefined)
        await commits.write((trx, now) =>
          note(trx, now, [{ actor, action: 'patient.find', reason, details: namePatient(value) }]),
        )
      return findPatient(db, { value, cursor }, { documents, seal, moved })
    },
    erase: (resourceId, patient, { actor, reason }) =>
      writeTo(resourceId, async (trx, now) => {
        const erased = await eraseResource(trx, resourceId, now)
        if (typeof erased === 'string') return erased
        const details = { ...namePatient(patient), ...erased.removed, dropped: erased.dropped }
        await note(trx, now, [{ actor, action: 'patient.erase', resourceId, reason, details }])
        return erased
      }),
    eraseEvents: (eventIds, patient, { actor, reason }) =>
      commits.write(async (trx, now) => {
        const bodies = await eraseBodies(trx, eventIds)
        const details = { ...namePatient(patient), bodies, events: eventIds.map(String) }
        await note(trx, now, [{ actor, action: 'patient.erase', reason, details }])
        return bodies
      }),
    async reseal({ cursor, dryRun }, { actor, reason }) {
      if (cursor === undefined && !dryRun)
        await commits.write((trx, now) => note(trx, now, [{ actor, action: 'keys.rotate', reason }]))
      const part = await readPart(db, cursor, resealedAtOnce)
      const step = await commits.write(
        (trx) => resealPart(trx, part, { seal, documents, dryRun }),
        () => [...part.resources.map(({ id }) => id), ...part.outcomes.map(({ resource_id: id }) => id)],
      )
      // Only now: a body that was moved meanwhile is found there.
      return moved.reseal(part, step, dryRun)
    },
    moveBodies: (cursor) => moved.move(cursor),
    tidyBodies: ({ keepMs }) => moved.tidy(keepMs),
    deleteGoneBodies: () => moved.deleteGone(),
    wipe: () => storage.wipe(),

    mostTried: () => readMostTried(db),
    async purgedAgo() {
      const at = await readUpkeep(db, retentionTask)
      if (at !== undefined) return Math.max(0, (await storage.now(db)) - at)
      await commits.write((trx, now) => noteUpkeep(trx, retentionTask, now))
      return 0
    },
    openAlerts: () => readOpenAlerts(db),
    listAlerts: (limit, before) => listAlerts(db, limit, before),
    noteAlerts: (noted) =>
      commits.write(
        (trx, now) => noteAlerts(trx, noted, now),
        () => [alertsLock],
      ),
    alertTargets: async (names) => readAlertTargets(db, names, await storage.now(db)),
    takeAlertTurn: (name, wanted) =>
      commits.write(
        (trx, now) => takeAlertTurn(trx, name, wanted, now),
        () => [alertsLock],
      ),
    endAlertTurn: (name, owner, end) =>
      commits.write(
        (trx, now) => endAlertTurn(trx, name, owner, end, now),
        () => [alertsLock],
      ),

    audit: (entry) => commits.write((trx, now) => note(trx, now, [entry])),
    readAudit: (filter, limit) => readAudit(db, filter, limit),
    listAudit: (filter, limit, before) => listAudit(db, filter, limit, before),
    verifyAudit: (noted) => verifyAudit(db, seal, noted),
    close: () => (closed ??= close()),
  }
}

/** The work that waits for this hold. */
function heldBy({ kind, name }: Pick<Hold, 'kind' | 'name'>) {
  return kind === 'handler'
    ? { errorCode: heldErrors.handler, handler: name }
    : { errorCode: heldErrors.system, system: name }
}

/** That somebody pauses or resumes it. */
function entryOf(
  action: 'work.pause' | 'work.resume',
  { kind, name }: Pick<Hold, 'kind' | 'name'>,
  { actor, reason }: Act,
): AuditEntry {
  return {
    actor,
    action,
    reason,
    ...(kind === 'handler' && { handler: name }),
    details: kind === 'system' ? { paused: kind, system: name } : { paused: kind },
  }
}
