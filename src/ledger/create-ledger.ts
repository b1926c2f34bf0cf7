import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Kysely, Transaction } from 'kysely'
import { acceptAll, type Accepted, type Delivery } from './hot/accept.ts'
import { endAlertTurn, takeAlertTurn } from './alerts/alert-targets.ts'
import { alertsLock, noteAlerts } from './alerts/alerts.ts'
import type { AuditDetails, AuditEntry, Act } from './audit/audit-entry.ts'
import { beginTimeAnew, createClockSteps, isBehindEvents } from './hot/clock-steps.ts'
import { type BatchDeps, createBatch } from './hot/batch.ts'
import { claimAll, type ClaimRequest, renewClaim, type Claim } from './hot/claims.ts'
import { createDigestKey, createFingerprint } from './sealing/digest-key.ts'
import { createDocuments } from './sealing/documents.ts'
import { createViews } from './views/create-views.ts'
import { type Discarded, discardWork } from './upkeep/discard.ts'
import { createDriftNotes, purgeDrift } from './hot/drift.ts'
import { eraseBodies, eraseResource } from './upkeep/erase.ts'
import { findPatient } from './upkeep/find-patient.ts'
import { nameOf } from './hot/lookups.ts'
import { beginEffect, forgetBegun, readEffect, recordEffect } from './hot/effects.ts'
import { findRemembering, forgetMemory } from './upkeep/forget-memory.ts'
import { createGroupCommit } from './hot/group-commit.ts'
import {
  addHold,
  findGoneHolds,
  findHeldDue,
  findHeldWork,
  heldBy,
  isLetThrough,
  letThrough,
  readDueLetThrough,
  readHolds,
  removeHold,
  type Hold,
} from './hot/holds.ts'
import type { Ledger } from './ledger.ts'
import { inSteps } from './views/in-steps.ts'
import { forgetLeftOut } from './hot/left-out.ts'
import { readWork, type WorkCursor } from './views/list-work.ts'
import { type Memorandum, readMemory, writeMemories } from './hot/memory.ts'
import { recordAll, type Recording } from './hot/record.ts'
import { readBodies, readDue, readNextDueIn } from './hot/reads.ts'
import { noteOutage, readOutages } from './hot/outages.ts'
import { forgetOwnChange, noteOwnChange } from './hot/own-changes.ts'
import {
  claimPolls,
  findPollable,
  findUnsettled,
  forgetUnreadable,
  pollNow,
  readNextPollIn,
  recordPoll,
  savePolled,
} from './hot/polls.ts'
import { purgeEvents } from './upkeep/purge.ts'
import { countContents, noContents, purgeContents } from './upkeep/purge-contents.ts'
import { createRejections } from './hot/rejections.ts'
import { makeDue, resourcesOf } from './upkeep/retry-work.ts'
import { resealPart } from './sealing/reseal.ts'
import { openSnapshot, readSnapshot } from './upkeep/reveal.ts'
import type { Seal } from './sealing/seal.ts'
import { lockOf, takeShared } from './hot/shared-memory.ts'
import type { Storage } from './storage.ts'
import type { Tables } from './tables.ts'
import { noteUpkeep, readUpkeep } from './upkeep/upkeep.ts'
import { createTrail } from './audit/trail.ts'
import { findParkedAgain, wakeParked } from './hot/wake-parked.ts'
import { readLastErasure } from './audit/read-audit.ts'
import { readPart } from './upkeep/walk.ts'
import type { WorkFilter } from './views/work-filter.ts'

/** Deliveries stored in one transaction: a larger group would keep its first member waiting. */
const maxBatchSize = 1_000

/** What is noted once old contents are deleted. */
const retentionTask = 'retention'

/** Resources that one entry of the audit trail names. */
const maxNamed = 1_000

/** Resources whose values are sealed anew in one commit: few enough that no delivery waits for it. */
const resealedAtOnce = 20

/** Pieces of work that one step makes due: few enough that nobody waits for it. */
const madeDueAtOnce = 500

interface DueStep {
  limit?: number
  after?: WorkCursor | undefined
  isFreed?: boolean
  made?: ReadonlySet<string>
}

/** How long writes in progress may take as the ledger is closed, in milliseconds. */
const closeTimeoutMs = 5_000

/** Makes the ledger over an open database that has the newest schema; `close` closes that too. */
export function createLedger({ storage: opened, seal }: { storage: Storage; seal: Seal }): Ledger {
  const { db } = opened
  const clock = createClockSteps(opened)
  const storage = { ...opened, now: clock.now }
  let hasLooked = false
  const trail = createTrail({ commits: createGroupCommit(storage), seal, storage })
  const { commits } = trail
  const documents = createDocuments(seal)
  const digestKey = createDigestKey({ db, commits, seal })
  let fingerprint: ReturnType<typeof createFingerprint> | undefined
  /** Read before a transaction that needs it begins. */
  const readFingerprint = async () => (fingerprint ??= createFingerprint(await digestKey.read()))
  const rejections = createRejections(commits)
  const driftNotes = createDriftNotes(commits, { documents, seal })
  let closed: Promise<void> | undefined

  const gather = <Item, Result>(deps: Omit<BatchDeps<Item, Result>, 'commits' | 'isRefused' | 'maxSize'>) =>
    createBatch({ commits, isRefused: storage.isRefused, maxSize: maxBatchSize, ...deps })

  const acceptNow = gather<Delivery, Accepted>({
    touches: ({ resourceId = '' }) => [resourceId],
    async run(trx, deliveries, now) {
      if (fingerprint === undefined) throw new TypeError('The key of digests was not read.')
      const accepted = await acceptAll(trx, deliveries, { seal, now, findKnown: storage.findKnown, fingerprint })
      return accepted.map((result) => ({ result }))
    },
  })
  // Without a turn in between once the key is known: what was asked before the ledger is closed is stored.
  const accept = (delivery: Delivery) =>
    fingerprint === undefined ? readFingerprint().then(() => acceptNow(delivery)) : acceptNow(delivery)
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

  const remember = gather<Memorandum, undefined>({
    touches: ({ token, isShared, ...place }) =>
      isShared === true ? [token.resourceId, lockOf(place)] : [token.resourceId],
    run: writeMemories,
  })

  async function close(): Promise<void> {
    const written = Promise.allSettled([rejections.close(), driftNotes.close()]).then(() => commits.idle())
    // A database that hangs must not keep the process from ending.
    await Promise.race([written, sleep(closeTimeoutMs, undefined, { ref: false })])
    await db.destroy()
  }

  const note = (trx: Transaction<Tables>, now: number, entries: readonly AuditEntry[]) =>
    trail.append(trx, now, entries)
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

  /** Makes the next few pieces of work due that a filter lets through, but for resources that are in `made`. */
  async function makeSomeDue(
    filter: WorkFilter,
    entry: AuditEntry,
    { limit = madeDueAtOnce, after, isFreed = false, made = new Set() }: DueStep,
  ): Promise<{ resourceIds: string[]; next: WorkCursor | undefined }> {
    const { rows, next } = await readWork(db, filter, { limit, after, now: await storage.now(db) })
    const resourceIds = resourcesOf(rows).filter((id) => !made.has(id))
    if (resourceIds.length === 0) return { resourceIds, next }
    const due = await commits.write(
      async (trx, now) => {
        const due = await makeDue(trx, resourceIds, filter, { isFreed, now })
        await noteDue(trx, now, { ...entry, resourceIds: due })
        return due
      },
      () => resourceIds,
    )
    return { resourceIds: due, next }
  }

  async function makeAllDue(filter: WorkFilter, entry: AuditEntry, { isFreed = false } = {}): Promise<string[]> {
    // What was parked is met again among what is due, and so is what fails again meanwhile.
    const made = new Set<string>()
    for await (const { resourceIds } of inSteps(async (after?: WorkCursor) => {
      // Others get their turn in between.
      await nextTurn()
      const { resourceIds, next } = await makeSomeDue(filter, entry, { after, isFreed, made })
      return { resourceIds, cursor: next }
    }))
      for (const id of resourceIds) made.add(id)
    return [...made]
  }

  return {
    ...createViews({ storage, seal }),
    accept,
    reject: (rejection) => rejections.note(rejection),

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

    effect: (resourceId, handler, key) => readEffect(db, { resourceId, handler, key }, documents),
    beginEffect: (resourceId, handler, key) =>
      writeTo(resourceId, (trx, now) => beginEffect(trx, { resourceId, handler, key }, now)),
    forgetBegun: (resourceId, handler, key) =>
      writeTo(resourceId, (trx) => forgetBegun(trx, { resourceId, handler, key })),
    recordEffect: (resourceId, handler, key, json) =>
      writeTo(resourceId, (trx, now) => recordEffect(trx, { resourceId, handler, key, json }, { now, documents })),

    readMemory: (system, resourceId) => readMemory(db, { system, resourceId }),
    writeMemory: (token, system, role, remembered, { isShared } = {}) =>
      remember({ token, system, role, remembered, isShared }),
    takeShared: (token, system, role) =>
      commits.write(
        (trx, now) => takeShared(trx, token, { system, role }, now),
        () => [token.resourceId, lockOf({ system, role })],
      ),
    async forgetMemory(forgettable, { actor, reason }) {
      const resourceIds = await findRemembering(db, forgettable, seal)
      if (resourceIds.length === 0) return []
      const { system, role, value } = forgettable
      await commits.write(
        async (trx, now) => {
          await forgetMemory(trx, forgettable, resourceIds)
          const resources = resourceIds.slice(0, maxNamed)
          const details = { ...namePatient(value), system, role, count: resourceIds.length, resources }
          await note(trx, now, [{ actor, action: 'memory.forget', reason, details }])
        },
        () => resourceIds,
      )
      return resourceIds
    },

    forgetLeftOut: (found, { actor, reason }) =>
      commits.write(
        async (trx, now) => {
          await forgetLeftOut(trx, found)
          const { system, types, resourceIds } = found
          const details = { system, types, count: resourceIds.length, resources: resourceIds.slice(0, maxNamed) }
          await note(trx, now, [{ actor, action: 'work.backfill', reason, details }])
        },
        () => found.resourceIds,
      ),

    async digestKey() {
      await readFingerprint()
      return digestKey.read()
    },

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
    async recordPoll(poll, result) {
      const fingerprint = await readFingerprint()
      return writeTo(poll.resourceId, async (trx, now) => {
        const isRecorded = await recordPoll(trx, poll, result, { now })
        if (!isRecorded) return undefined
        if (result.of !== 'changed') return {}
        const [accepted] = await acceptAll(trx, [result.event], {
          seal,
          now,
          findKnown: storage.findKnown,
          fingerprint,
        })
        // acceptAll answers one result for each delivery, and got one.
        const { eventId, traceId } = accepted as Accepted
        await savePolled(trx, poll.resourceId, { ...result, eventId }, { now, documents, seal })
        return { traceId }
      })
    },
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

    retryWork: (filter, act) => makeAllDue(filter, retryOf(filter, act)),
    retrySome: (filter, step, act) => makeSomeDue(filter, retryOf(filter, act), step),

    noteDrift: (sightings) => driftNotes.note(sightings),

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
      // From here on no work is recorded as waiting for it.
      const resourceIds = hold.kind === 'all' ? [] : await makeAllDue(heldBy(hold), entry, { isFreed: true })
      return { wasHeld, resourceIds }
    },
    async freeUnheld(act) {
      const freed: string[] = []
      for (const hold of await findGoneHolds(db))
        freed.push(...(await makeAllDue(heldBy(hold), entryOf('work.resume', hold, act), { isFreed: true })))
      return freed
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
            if (hold.kind !== 'all') await makeDue(trx, resourceIds, heldBy(hold), { now, isFreed: true })
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
      const find = () => findPatient(db, { value, cursor }, { documents, seal })
      if (cursor !== undefined) return find()
      const details = namePatient(value)
      const erasedAgoMs = await commits.write(async (trx, now) => {
        await note(trx, now, [{ actor, action: 'patient.find', reason, details }])
        if (details.patient === undefined) return undefined
        const at = await readLastErasure(trx, seal.digests(nameOf({ field: 'internal_id', value })))
        return at === undefined ? null : Math.max(0, now - at)
      })
      return { ...(await find()), erasedAgoMs }
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
      if (cursor === undefined) {
        const { keys, resealed, unreadable } = await digestKey.reseal(dryRun)
        for (const [key, count] of Object.entries(keys)) step.keys[key] = (step.keys[key] ?? 0) + count
        step.resealed += resealed
        step.unreadable += unreadable
      }
      return step
    },
    wipe: () => storage.wipe(),

    async purgedAgo() {
      const at = await readUpkeep(db, retentionTask)
      if (at !== undefined) return Math.max(0, (await storage.now(db)) - at)
      await commits.write((trx, now) => noteUpkeep(trx, retentionTask, now))
      return 0
    },
    noteAlerts: (noted) =>
      commits.write(
        (trx, now) => noteAlerts(trx, noted, now),
        () => [alertsLock],
      ),
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
    verifyAudit: (noted) => trail.verify(noted),
    auditState: () => trail.state(),
    close: () => (closed ??= close()),
  }
}

/** That somebody retries it. */
function retryOf({ resourceId, handler, system, errorCode }: WorkFilter, { actor, reason }: Act): AuditEntry {
  const details = { ...(errorCode !== undefined && { error: errorCode }), ...(system !== undefined && { system }) }
  return { actor, action: 'work.retry', resourceId, handler, reason, details }
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
