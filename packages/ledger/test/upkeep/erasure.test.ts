import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLedger } from '../../src/create-ledger.ts'
import type { Ledger } from '../../src/ledger.ts'
import { createSeal } from '../../src/sealing/seal.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import type { Storage } from '../../src/storage.ts'
import type { ResourceKind } from '../../../client/src/schemas/kinds.ts'
import { act } from '../../../../test/support/act.ts'
import type { Note } from '../../src/hot/notes.ts'
import { aDelivery } from '../a-delivery.ts'
import { describeOnEachStorage, describeOnSqlite } from '../on-each-storage.ts'
import { atTime } from '../at-time.ts'

const reason = 'She asked for it'
const [hers, his] = ['KANARI-4711', 'NEIGHBOUR-0815']

/** Erasing one patient from a ledger, on any kind of storage. */
function describeErasure(open: () => Promise<Storage>) {
  let storage: Storage
  let ledger: Ledger
  let now: number

  beforeEach(async () => {
    now = 1_000_000_000
    storage = atTime(await open(), () => now)
    ledger = createLedger({ storage, seal: createSeal([]) })
  })
  afterEach(() => ledger.close())

  const naming = (patient: string, more = {}) => ({
    patient: { internal_id: patient, name: `${patient} Sample` },
    ...more,
  })

  async function hear(id: string | undefined, data: object, kind: ResourceKind = 'prior_authorization'): Promise<void> {
    now += 10
    await ledger.accept(
      aDelivery({
        resourceId: id,
        kind: id === undefined ? undefined : kind,
        eventType: `${kind}.status_change`,
        body: { data },
      }),
    )
  }

  /** Works on a resource as a worker does: one handler succeeds, then fails; it leaves something in every table. */
  async function work(id: string, data: object, lookup?: string): Promise<void> {
    now += 1_000
    const claim = await ledger.claim(id, 1_000, {})
    if (claim === undefined) throw new Error(`${id} could not be claimed`)
    const at = { startedAt: now, finishedAt: now, firstEventId: 1, lastEventId: claim.newestEventId }
    const writes = [{ system: 'ehr', type: 'Task', id: `task-${id}` }]
    const read = (text: object): Note => ({
      of: 'snapshot',
      text: JSON.stringify(text),
      eventId: claim.newestEventId,
      terminal: false,
      pollInMs: 1_000,
      facts: {
        readAt: now,
        changes: [{ field: 'status', to: 'completed' }],
        identifiers: lookup === undefined ? [] : [{ field: 'internal_id', value: lookup }],
        outcome: {
          course: { status: 'processing' },
          groups: lookup === undefined ? {} : { drug: lookup },
        },
      },
    })
    const error = { code: 'no', message: `The chart of ${lookup ?? id} is locked.` }
    const leftOut = [{ system: 'ehr', type: 'Coverage', reason: `not of ${lookup ?? id}` }]
    await ledger.record(claim, [
      read(data),
      { of: 'success', run: { ...at, handler: 'chart', writes, leftOut } },
      read({ ...data, status: 'later' }),
      { of: 'failure', run: { ...at, handler: 'chart', writes: [], error, attempts: 1, delayMs: undefined } },
    ])
    await ledger.recordEffect(id, 'chart', 'invoice', JSON.stringify({ of: data }))
    await ledger.publish(claim, { id: `msg_${id}`, reader: '1234567', text: JSON.stringify({ of: data }) })
    await ledger.writeMemory(claim, 'ehr', 'task', { id: `task-${id}` })
    await ledger.release(claim, { notes: [], dueInMs: undefined, restMs: 0 })
  }

  async function find(value = hers) {
    const found = { ids: [] as string[], events: [] as number[], steps: 0 }
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const step = await ledger.findPatient({ value, cursor }, { ...act, reason })
      found.ids.push(...step.resources.map(({ id }) => id))
      found.events.push(...step.events)
      found.steps += 1
      cursor = step.cursor
    }
    return found
  }

  /** Everything that stands in the database, as text. */
  async function dump(): Promise<string> {
    const tables = [
      'events',
      'resources',
      'states',
      'baselines',
      'work',
      'journal',
      'left_out',
      'effects',
      'feed',
      'handler_memory',
      'lookups',
      'outcomes',
      'audit',
      'alerts',
      'shared_memory',
      'starts',
      'rejections',
    ]
    const texts: string[] = []
    for (const table of tables) {
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(storage.db)
      for (const row of rows)
        texts.push(
          ...Object.values(row).map((value) =>
            value instanceof Uint8Array ? Buffer.from(value).toString() : String(value),
          ),
        )
    }
    return texts.join('\n')
  }

  async function eraseAll(value = hers) {
    const { ids, events } = await find(value)
    const erased = []
    for (const id of ids) erased.push(await ledger.erase(id, value, { ...act, reason }))
    if (events.length > 0) await ledger.eraseEvents(events, value, { ...act, reason })
    return erased
  }

  it('skips outcomes in its search, since they name no patient', async () => {
    await hear('pa_req_1', naming(hers))
    await work('pa_req_1', naming(hers), hers)
    const before = await find()
    await sql`insert into outcomes select -n, kind, heard_at, from_start, status, status_at, submitted_at, ended_at, result, reason,
      is_appeal, is_urgent, transfer_status, transfer_started_at, transfer_ended_at, practice_ms, provider_ms, groups
      from outcomes, (with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 500) select n from numbers) as numbers`.execute(
      storage.db,
    )
    expect(await find()).toEqual(before)
  })

  it('finds resources by lookup, content and relation, and none of other patients', async () => {
    await hear('pa_req_1', naming(hers))
    await work('pa_req_1', naming(hers), hers)
    await hear('pa_req_unread', naming(hers.toLowerCase()))
    await hear('pa_req_before', {})
    await work('pa_req_before', naming(hers))
    await hear('out_1', { prior_authorization_id: 'pa_req_1' }, 'provider_outreach')
    await hear('out_2', { prior_authorization_id: 'pa_req_his' }, 'provider_outreach')
    await hear('pa_req_his', naming(his))
    await work('pa_req_his', naming(his, { prescriber: { internal_id: hers } }), his)
    await hear(undefined, naming(hers))
    await hear(undefined, naming(his))
    const found = await find()
    expect(found.ids.toSorted()).toEqual(['out_1', 'pa_req_1', 'pa_req_before', 'pa_req_unread'])
    expect(found.events).toHaveLength(1)
    expect(await find('nobody')).toMatchObject({ ids: [], events: [] })
  })

  it('searches in more than one part', async () => {
    for (let n = 0; n < 120; n += 1) await hear(`pa_req_${n}`, naming(n % 40 === 7 ? hers : his))
    expect((await find()).ids).toHaveLength(3)
  })

  it('removes all stored data of the patient, keeps ids and receipts, and leaves other patients alone', async () => {
    await hear('pa_req_1', naming(hers))
    await work('pa_req_1', naming(hers), hers)
    await hear(undefined, naming(hers))
    await hear('pa_req_his', naming(his))
    await work('pa_req_his', naming(his), his)
    expect(await dump()).toContain(hers)
    const [erased] = await eraseAll()
    expect(erased).toEqual({
      removed: {
        bodies: 1,
        snapshots: 1,
        baselines: 1,
        tried: 1,
        effects: 1,
        notices: 1,
        memory: 1,
        lookups: 1,
        transitions: 2,
        outcomes: 1,
      },
      dropped: 1,
      written: [{ system: 'ehr', type: 'Task', id: 'task-pa_req_1' }],
    })
    const left = await dump()
    expect(left).not.toContain(hers)
    expect(left.split(his).length).toBeGreaterThan(5)
    expect(await ledger.resource('pa_req_1')).toMatchObject({ events: 1, writes: 1, dueAt: undefined })
    expect(await ledger.effect('pa_req_1', 'chart', 'invoice')).toEqual({ document: undefined })
    expect(await ledger.nextPollIn()).toBeDefined()
    expect((await find()).ids).toEqual([])
    expect((await ledger.counts()).parked).toBe(1)
    now += 10_000
    const { polls } = await ledger.claimPolls(9, 1_000)
    expect(polls.map(({ resourceId }) => resourceId)).toEqual(['pa_req_his'])
  })

  it('still recognises a late copy, and accepts new events', async () => {
    await hear('pa_req_1', naming(hers))
    await work('pa_req_1', naming(hers), hers)
    await eraseAll()
    await hear('pa_req_1', naming(hers))
    expect(await ledger.resource('pa_req_1')).toMatchObject({ events: 1, repeats: 1, dueAt: undefined })
    await hear('pa_req_1', naming(hers, { status: 'completed' }))
    expect(await ledger.resource('pa_req_1')).toMatchObject({ events: 2 })
    expect(await ledger.due(10)).toEqual(['pa_req_1'])
  })

  it('waits for a claimed resource, and rejects results of a holder past its lease', async () => {
    await hear('pa_req_1', naming(hers))
    const claim = await ledger.claim('pa_req_1', 1_000, {})
    if (claim === undefined) throw new Error('not claimed')
    expect(await eraseAll()).toEqual(['in_work'])
    now += 1_001
    expect(await eraseAll()).toMatchObject([{ removed: { bodies: 1 } }])
    await expect(ledger.record(claim, [])).rejects.toMatchObject({ code: 'claim_lost' })
    expect(await ledger.erase('pa_req_9', hers, act)).toBe('unknown')
  })

  it('records actor and reason, and no readable text of the patient', async () => {
    ledger = createLedger({ storage, seal: createSeal([randomBytes(32)]) })
    await ledger.audit({ ...act, action: 'process.start' })
    await hear('pa_req_1', naming(hers))
    await eraseAll()
    const [found, erased] = await ledger.readAudit({ after: 1 }, 10)
    expect(found).toMatchObject({ action: 'patient.find', actor: act.actor, reason })
    expect(erased).toMatchObject({ action: 'patient.erase', resourceId: 'pa_req_1', reason, details: { bodies: 1 } })
    expect(erased?.details.patient).toBe(found?.details.patient)
    expect(JSON.stringify(await ledger.readAudit({}, 10))).not.toContain(hers)
  })

  it('records digests under older keys too when it searches after a rotation', async () => {
    const [old, next] = [randomBytes(32), randomBytes(32)]
    ledger = createLedger({ storage, seal: createSeal([old]) })
    await ledger.auditOfPatient({ ...act, action: 'request.draft' }, hers)
    ledger = createLedger({ storage, seal: createSeal([next, old]) })
    await ledger.auditOfPatient({ ...act, action: 'request.draft' }, hers)
    await ledger.findPatient({ value: hers }, act)
    const [before, after, found] = await ledger.readAudit({}, 10)
    expect(found?.details).toEqual({ patient: after?.details.patient, earlier: [before?.details.patient] })
  })

  describe('discarded work', () => {
    const discard = async (handler = 'chart') =>
      (await ledger.discard([{ resourceId: 'pa_req_1', handler }], { ...act, reason }))[0]

    it('counts as done, stays in the history, and runs again on a new event', async () => {
      await hear('pa_req_1', naming(hers))
      await work('pa_req_1', naming(hers))
      expect((await ledger.counts()).parked).toBe(1)
      expect(await discard('other')).toBe('nothing')
      expect(await discard()).toBe('discarded')
      expect(await discard()).toBe('nothing')
      expect(await ledger.counts()).toMatchObject({ parked: 0 })
      const history = await ledger.history('pa_req_1', 10, {})
      expect(history?.progress).toMatchObject([{ handler: 'chart', state: 'synced', attempts: 0, error: undefined }])
      expect(history?.runs[0]).toMatchObject({ handler: 'chart', result: 'discarded', writes: [] })
      expect(await ledger.lastRuns()).toMatchObject([{ handler: 'chart', result: 'parked' }])
      const entries = await ledger.readAudit({ action: 'work.discard' }, 10)
      expect(entries).toMatchObject([{ actor: act.actor, resourceId: 'pa_req_1', handler: 'chart', reason }])
      await hear('pa_req_1', naming(hers, { status: 'completed' }))
      const claim = await ledger.claim('pa_req_1', 1_000, { prior_authorization: ['chart'] })
      expect(claim?.events).toHaveLength(1)
      // It still sees the missed changes: its baseline is that of its last success.
      expect(claim?.progress.get('chart')?.baseline).toBeDefined()
    })

    it('is refused while its resource is claimed', async () => {
      await hear('pa_req_1', naming(hers))
      await work('pa_req_1', naming(hers))
      await ledger.retryWork({}, act)
      await ledger.claim('pa_req_1', 1_000, {})
      expect(await discard()).toBe('in_work')
    })
  })
}

describeOnEachStorage('erasure', describeErasure)

describeOnSqlite('erasure of a file', (newPath) => {
  it('leaves no byte of the patient in the files, even while they are open', async () => {
    const home = `${newPath()}-alone`
    const path = join(home, 'pawl.db')
    const ledger = createLedger({ storage: await openSqlite(path, Date), seal: createSeal([]) })
    const bytes = async () => {
      const names = await readdir(home)
      const texts = await Promise.all(names.map((name) => readFile(join(home, name), 'latin1')))
      return texts.join('')
    }
    // Some in the row, some on pages of their own.
    for (const [id, size] of [
      ['pa_req_1', 100],
      ['pa_req_2', 50_000],
    ] as const) {
      const data = { patient: { internal_id: hers }, filler: `${hers} `.repeat(size / 10) }
      await ledger.accept(aDelivery({ resourceId: id, body: { data } }))
      for (const filler of ['', data.filler]) {
        const claim = await ledger.claim(id, 60_000, {})
        if (claim === undefined) throw new Error('not claimed')
        const text = JSON.stringify({ ...data, filler })
        const eventId = claim.newestEventId
        await ledger.release(claim, {
          notes: [{ of: 'snapshot', text, eventId, terminal: false, pollInMs: undefined }],
          dueInMs: 0,
          restMs: 0,
        })
      }
    }
    expect(await bytes()).toContain(hers)
    for (const id of ['pa_req_1', 'pa_req_2']) await ledger.erase(id, hers, { ...act, reason })
    expect(await ledger.wipe()).toBe('wiped')
    expect(await bytes()).not.toContain(hers)
    await ledger.close()
  })
})
