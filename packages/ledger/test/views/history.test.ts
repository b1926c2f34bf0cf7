import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLedger } from '../../src/create-ledger.ts'
import type { Ledger } from '../../src/ledger.ts'
import { createSeal } from '../../src/sealing/seal.ts'
import type { Storage } from '../../src/storage.ts'
import type { Identifier } from '../../../client/src/schemas/identifier-fields.ts'
import { snapshotFacts } from '../../../../src/work/snapshot.ts'
import type { Note, SnapshotFacts } from '../../src/hot/notes.ts'
import { describeOnEachStorage } from '../on-each-storage.ts'
import { aDelivery } from '../a-delivery.ts'
import { atTime } from '../at-time.ts'

const dayMs = 86_400_000
const [older, newer] = [randomBytes(32), randomBytes(32)]

/** Tests of a resource's history, on any kind of storage. */
function describeHistory(open: () => Promise<Storage>) {
  let storage: Storage
  let ledger: Ledger
  let now: number

  beforeEach(async () => {
    now = 1_000 * dayMs
    storage = atTime(await open(), () => now)
    ledger = withKeys([older])
  })
  afterEach(() => ledger.close())

  const withKeys = (keys: Uint8Array[]) => createLedger({ storage, seal: createSeal(keys) })

  async function hear(id: string): Promise<void> {
    await ledger.accept(aDelivery({ resourceId: id, body: { id, now } }))
  }

  interface Known {
    facts?: Partial<SnapshotFacts>
    status?: string
    notes?: Note[]
    by?: Ledger
  }

  /** Hears of the resource, and works on it as a worker does. */
  async function work(id: string, { facts = {}, status = 'processing', notes = [], by = ledger }: Known = {}) {
    now += 10
    await hear(id)
    now += 10
    const claim = await by.claim(id, 1_000, {})
    if (claim === undefined) throw new Error(`${id} could not be claimed`)
    const data = { id, status }
    const text = JSON.stringify(data)
    const snapshot: Note = {
      of: 'snapshot',
      text,
      eventId: claim.newestEventId,
      terminal: false,
      pollInMs: undefined,
      facts: {
        ...snapshotFacts(claim.snapshot?.document, { kind: 'prior_authorization', data, text, readAt: now }),
        ...facts,
      },
    }
    await by.release(claim, { notes: [snapshot, ...notes], dueInMs: undefined, restMs: 0 })
    await by.catchUp()
  }
  const run = (handler: string, at: number) => ({
    handler,
    startedAt: at,
    finishedAt: at + 5,
    firstEventId: 1,
    lastEventId: 1,
    writes: [{ system: 'ehr', type: 'Task', id: 't1' }],
  })
  const found = async (value: string, fields?: Identifier['field'][], by = ledger) =>
    (await by.find({ value, fields }, 10)).map(({ id, by }) => `${id} by ${by}`)
  const countOf = async (table: string) =>
    (await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(storage.db)).rows[0]?.count

  it('returns the state of a resource and all its records, newest first', async () => {
    expect(await ledger.history('pa_req_1', 10, {})).toBeUndefined()
    const error = { code: 'chart_locked', message: 'The chart is locked.' }
    const failure: Note = {
      of: 'failure',
      run: { ...run('desk', now), writes: [], error, attempts: 1, delayMs: 60_000 },
    }
    await work('pa_req_1', { notes: [{ of: 'success', run: run('chart', now) }, failure] })
    await hear('pa_req_1')
    await ledger.recordEffect('pa_req_1', 'chart', 'announced')
    const history = await ledger.history('pa_req_1', 10, {})
    expect(history?.resource).toMatchObject({
      kind: 'prior_authorization',
      snapshot: expect.stringContaining('"processing"'),
      lastEventAt: now,
      isClaimed: false,
    })
    expect(history?.progress).toMatchObject([
      { handler: 'chart', state: 'synced', error: undefined },
      { handler: 'desk', state: 'due', attempts: 1, dueAt: now + 60_000, error },
    ])
    expect(history?.events).toMatchObject([{ source: 'webhook', receivedAt: now }, { source: 'webhook' }])
    expect(history?.transitions).toMatchObject([{ at: now, changes: [{ field: 'status', to: 'processing' }] }])
    expect(history?.runs).toMatchObject([
      { handler: 'desk', result: 'failed', error, nextAt: now + 60_000, writes: [] },
      { handler: 'chart', result: 'succeeded', writes: [{ id: 't1' }] },
    ])
    expect(history?.effects).toEqual([{ handler: 'chart', key: 'announced', at: now }])
  })

  it('records a snapshot as its difference to the previous one, and none if unchanged', async () => {
    await work('pa_req_1', { status: 'processing' })
    await work('pa_req_1', { status: 'processing' })
    await work('pa_req_1', { status: 'completed' })
    const history = await ledger.history('pa_req_1', 10, {})
    expect(history?.transitions.map(({ changes }) => changes)).toEqual([
      [{ field: 'status', from: 'processing', to: 'completed' }],
      [{ field: 'status', to: 'processing' }],
    ])
  })

  it('records findings of a poll', async () => {
    await work('pa_req_1')
    now += 10
    await ledger.pollSoon(0)
    const [poll] = (await ledger.claimPolls(10, 500)).polls
    if (poll === undefined) throw new Error('nothing to poll')
    const data = { id: 'pa_req_1', status: 'completed', patient: { mrn: 'MRN-7' } }
    const text = JSON.stringify(data)
    const event = aDelivery({ source: 'poll' })
    const facts = snapshotFacts(poll.snapshot, { kind: 'prior_authorization', data, text, readAt: now })
    const snapshot = { of: 'snapshot', pollInMs: undefined, text, terminal: true, facts } as const
    await ledger.recordPoll(poll, { of: 'changed', snapshot, event })
    const history = await ledger.history('pa_req_1', 1, {})
    expect(history?.transitions[0]?.changes[0]).toEqual({ field: 'status', from: 'processing', to: 'completed' })
    expect(history?.transitions[0]?.eventId).toBe(history?.events[0]?.id)
    await ledger.catchUp()
    expect(await found('mrn-7')).toEqual(['pa_req_1 by mrn'])
  })

  it('pages back through a resource with many events, each row once', async () => {
    for (let n = 0; n < 30; n += 1) {
      now += 1
      await hear('pa_req_1')
      await ledger.recordEffect('pa_req_1', n % 2 === 0 ? 'chart' : 'desk', `effect-${Math.floor(n / 3)}`)
      await hear('pa_req_2')
    }
    const [events, effects]: [number[], string[]] = [[], []]
    for (let before = {}; ;) {
      const page = await ledger.history('pa_req_1', 7, before)
      events.push(...(page?.events ?? []).map(({ id }) => id))
      effects.push(...(page?.effects ?? []).map(({ handler, key }) => `${handler} ${key}`))
      const [event, effect] = [page?.events.at(-1), page?.effects.at(-1)]
      if (event === undefined && effect === undefined) break
      before = { event: event?.id ?? 0, effect: effect ? [effect.at, effect.handler, effect.key] : [0, '', ''] }
    }
    expect(new Set(events).size).toBe(30)
    expect(events).toEqual(events.toSorted((a, b) => b - a))
    expect(effects.toSorted()).toEqual([...new Set(effects)].toSorted())
    expect(effects).toHaveLength(20)
  })

  it('finds resources by the numbers they carry, in any notation, and by no others', async () => {
    const identifiers: Identifier[] = [
      { field: 'mrn', value: 'MRN-1' },
      { field: 'internal_id', value: 'MRN-1' },
      { field: 'prescription_message_id', value: 'rx-9' },
    ]
    await work('pa_req_1', { facts: { identifiers } })
    await work('pa_req_2', { facts: { identifiers: [{ field: 'mrn', value: ' mrn-1 ' }] } })
    expect((await found('mrn-1', ['mrn'])).toSorted()).toEqual(['pa_req_1 by mrn', 'pa_req_2 by mrn'])
    expect(await found('Rx-9', ['prescription_message_id'])).toEqual(['pa_req_1 by prescription_message_id'])
    expect(await found('rx-9', ['mrn', 'internal_id'])).toEqual([])
    const [event] = (await ledger.listEvents({ resourceId: 'pa_req_1' }, 1)).rows
    for (const value of [`${event?.id}`, `#${event?.id}`, `event ${event?.id}`])
      expect(await found(value)).toEqual(['pa_req_1 by event'])
    expect((await ledger.find({ value: 'MRN-1' }, 10)).map(({ id }) => id)).toEqual(['pa_req_2', 'pa_req_1'])
    expect(await found('pa_req_2')).toEqual(['pa_req_2 by id'])
    expect(await found('nobody')).toEqual([])
    for (const id of ['pa_req_je5o8cwyoj0m8nkxl2h2', 'pa_req_je5o8cwyojzz', 'pa_req_je5o8cwyok']) await hear(id)
    expect(await found('pa_req_je5o8cwyoj0…')).toEqual(['pa_req_je5o8cwyoj0m8nkxl2h2 by id'])
    expect(await found('pa_req_je5o8cwyoj')).toHaveLength(2)
    expect(await found('pa_req_je5o')).toEqual([])
    expect((await ledger.find({ value: 'MRN-1' }, 1)).length).toBe(1)
  })

  it('stores no plain number, and writes lookups only on a change', async () => {
    const mrn = (value: string): Partial<SnapshotFacts> => ({ identifiers: [{ field: 'mrn', value }] })
    await work('pa_req_1', { facts: mrn('MRN-1') })
    const stored = async () => (await sql<object>`select * from lookups`.execute(storage.db)).rows
    const first = await stored()
    expect(JSON.stringify(first).toLowerCase()).not.toContain('mrn-1')
    // A new row would stand out.
    await sql`update lookups set field = 'untouched'`.execute(storage.db)
    await work('pa_req_1', { facts: mrn('mrn-1'), status: 'awaiting_outcome' })
    expect(await stored()).toMatchObject([{ field: 'untouched' }])
    await work('pa_req_1', { facts: mrn('MRN-2'), status: 'completed' })
    expect(await found('MRN-1')).toEqual([])
    expect(await found('MRN-2')).toEqual(['pa_req_1 by mrn'])
  })

  it('finds by every listed key, and rows stored before the first key', async () => {
    const facts = { identifiers: [{ field: 'mrn', value: 'MRN-1' }] satisfies Identifier[] }
    await work('pa_req_plain', { facts, by: withKeys([]) })
    await work('pa_req_old', { facts, by: withKeys([older]) })
    const rotated = withKeys([newer, older])
    await work('pa_req_new', { facts, by: rotated })
    const all = ['pa_req_new by mrn', 'pa_req_old by mrn', 'pa_req_plain by mrn']
    expect(await found('MRN-1', undefined, rotated)).toEqual(all)
    expect(await found('MRN-1', undefined, withKeys([randomBytes(32)]))).toEqual(['pa_req_plain by mrn'])
    await work('pa_req_old', { facts, status: 'completed', by: rotated })
    expect(await found('MRN-1', undefined, withKeys([newer]))).toEqual([
      'pa_req_old by mrn',
      'pa_req_new by mrn',
      'pa_req_plain by mrn',
    ])
  })

  it('deletes numbers and differences with the snapshot', async () => {
    await work('pa_req_1', { facts: { identifiers: [{ field: 'mrn', value: 'MRN-1' }] } })
    await work('pa_req_newest')
    now += 31 * dayMs
    await ledger.followClock(1_000)
    const keep = { keepMs: 30 * dayMs, parkedKeepMs: 365 * dayMs, reportKeepMs: 400 * dayMs }
    for (let cursor: number | undefined = 0; cursor !== undefined;) cursor = (await ledger.purge(keep, cursor)).cursor
    expect([Number(await countOf('journal')), Number(await countOf('lookups'))]).toEqual([1, 0])
    expect(await found('MRN-1')).toEqual([])
    expect((await ledger.history('pa_req_1', 10, {}))?.resource).toMatchObject({
      snapshot: undefined,
      lastEventAt: undefined,
    })
    await work('pa_req_1', { facts: { identifiers: [{ field: 'mrn', value: 'MRN-1' }] } })
    expect(await found('MRN-1')).toEqual(['pa_req_1 by mrn'])
  })
}

describeOnEachStorage('the history in a ledger', describeHistory)
