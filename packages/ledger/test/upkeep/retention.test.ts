import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler } from '../../../../src/index.ts'
import { Sqlite } from '../../../base/src/sqlite.ts'
import { createLedger } from '../../src/create-ledger.ts'
import type { Ledger } from '../../src/ledger.ts'
import { startRetention } from '../../src/upkeep/retention.ts'
import { createSeal } from '../../src/sealing/seal.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import type { ResourceKind } from '../../../client/src/schemas/kinds.ts'
import { act } from '../../../../test/support/act.ts'
import { captureLog } from '../../../../test/support/log-capture.ts'
import { createScriptedApi } from '../../../../test/support/scripted-api.ts'
import { startLocalGateway } from '../../../../test/support/start-local-gateway.ts'
import { until } from '../../../../test/support/until.ts'
import { deliver, envelope } from '../../../../test/support/webhook.ts'
import type { Note } from '../../src/hot/notes.ts'
import { aDelivery } from '../a-delivery.ts'

const dayMs = 86_400_000
const keep = { keepMs: 30 * dayMs, parkedKeepMs: 365 * dayMs, reportKeepMs: 400 * dayMs }
const [all, nothing] = [
  { bodies: 1, snapshots: 1, baselines: 1 },
  { bodies: 0, snapshots: 0, baselines: 0 },
]

let folder: string
let path: string
let ledger: Ledger
let now: number

beforeEach(async () => {
  now = 1_000 * dayMs
  folder = await mkdtemp(join(tmpdir(), 'pawl-retention-'))
  path = join(folder, 'pawl.db')
  ledger = createLedger({ storage: await openSqlite(path, { now: () => now }), seal: createSeal([]) })
})
afterEach(async () => {
  await ledger.close()
  await rm(folder, { recursive: true })
})

async function store(id: string, kind: ResourceKind | 'none' = 'prior_authorization', size = 100): Promise<void> {
  await ledger.accept(
    aDelivery({
      resourceId: id,
      kind: kind === 'none' ? undefined : kind,
      body: { id, now, filler: 'x'.repeat(size) },
    }),
  )
}

interface Worked {
  terminal?: boolean
  pollInMs?: number
  /** Result of its handler; `none` leaves it out. */
  result?: 'success' | 'parked' | 'none'
  dueInMs?: number
}

/** Works on the resource as a worker does. */
async function work(id: string, { terminal = true, pollInMs, result = 'success', dueInMs }: Worked = {}) {
  const claim = await ledger.claim(id, 1_000, {})
  if (claim === undefined) throw new Error(`${id} could not be claimed`)
  const eventId = claim.newestEventId
  const run = { handler: 'h', startedAt: now, finishedAt: now, firstEventId: eventId, lastEventId: eventId, writes: [] }
  const failure = { ...run, error: { code: 'no', message: 'no' }, attempts: 1, delayMs: undefined }
  const notes: Note[] = [{ of: 'snapshot', text: JSON.stringify({ id, now }), eventId, terminal, pollInMs }]
  if (result !== 'none') notes.push({ of: 'success', run })
  if (result === 'parked') notes.push({ of: 'failure', run: failure })
  await ledger.release(claim, { notes, dueInMs, restMs: 0 })
}

/** Lets retention alone do it, until it says that its round is over. */
async function retain(): Promise<Record<string, unknown>[]> {
  const { log, lines } = captureLog()
  const retention = startRetention({ ledger, keep, log })
  await until('a round that deleted something', () => lines().some(({ msg }) => msg === 'old events deleted'))
  await retention.close()
  return lines()
}

async function pass(days: number): Promise<void> {
  now += days * dayMs
  // To the ledger, a clock that was set.
  await ledger.followClock(1_000)
}

/** Deliveries that a purge would delete; those of due work stay. */
async function countDry(): Promise<number> {
  let count = 0
  for (let cursor: number | undefined = 0; cursor !== undefined;) {
    const step = await ledger.purge(keep, cursor, { dryRun: true })
    count += step.deliveries
    cursor = step.cursor
  }
  return count
}

/** Counts of the bodies, snapshots and baselines left after so many more days and a whole purge. */
async function leftAfter(days: number): Promise<{ bodies: number; snapshots: number; baselines: number }> {
  await pass(days)
  for (let cursor: number | undefined = 0; cursor !== undefined;) cursor = (await ledger.purge(keep, cursor)).cursor
  const database = new Sqlite(path, { readonly: true })
  const count = (of: string) => Number(database.prepare(`select count(*) from ${of}`).pluck().get())
  const left = {
    bodies: count('events where length(body) > 0'),
    snapshots: count('states where snapshot is not null'),
    baselines: count(
      "states, json_each(document, '$.handlers') as handler where handler.value ->> 'baseline' is not null",
    ),
  }
  database.close()
  return left
}

it('retention empties the newest event and the newest row of the journal, whose numbers would come back', async () => {
  await store('done')
  await work('done')
  await pass(31)
  expect(await leftAfter(0)).toMatchObject({ bodies: 0, snapshots: 0 })
  expect(await ledger.history('done', 10, {})).toMatchObject({ events: [{ id: 1 }], runs: [], transitions: [] })
  await store('done')
  await work('done')
  expect(await ledger.history('done', 10, {})).toMatchObject({ events: [{ id: 2 }, { id: 1 }], runs: [{ id: 2_000 }] })
})

it('retention keeps an event whose resource keeps an earlier one, which is reached through it', async () => {
  const settle = async () => {
    await store('settled')
    await work('settled')
  }
  await store('late')
  await settle()
  // More than one step.
  await Promise.all(Array.from({ length: 500 }, (_, n) => store(`other_${n}`, 'none')))
  now += 1
  await store('late')
  await settle()
  await store('last', 'none')
  await pass(31)
  expect(await countDry()).toBe(503)
  const { cursor } = await ledger.purge(keep, 0)
  // Due during the first step, in sync with all events during the second.
  await work('late')
  for (let at = cursor; at !== undefined;) at = (await ledger.purge(keep, at)).cursor
  expect(await ledger.bodies('late')).toHaveLength(2)
  expect(await leftAfter(0)).toMatchObject({ bodies: 0 })
})

it.each<[string, ResourceKind, Worked]>([
  ['an outreach attempt, which has no GET', 'provider_outreach', { terminal: false }],
  ['a PA of an unknown status that is too old to be polled', 'prior_authorization', { terminal: false }],
  ['a benefit verification that has ended', 'benefit_verification', { terminal: true }],
])('retention keeps no content of %s beyond its time', async (_, kind, worked) => {
  await store('resource', kind)
  await work('resource', worked)
  expect(await leftAfter(29)).toEqual(all)
  expect(await leftAfter(2)).toEqual(nothing)
})

it('retention keeps the state of an endless PA only while polling confirms it', async () => {
  await store('endless')
  await work('endless', { terminal: false, pollInMs: dayMs })
  expect(await leftAfter(31)).toEqual({ ...all, bodies: 0 })
  expect(await leftAfter(90)).toEqual(nothing)
})

/** Whether what the effect returned is still there; that it happened always is. */
async function isValueLeft(id: string): Promise<boolean> {
  const effect = await ledger.effect(id, 'h', 'invoice')
  expect(effect).toBeDefined()
  return effect?.document !== undefined
}
const invoice = (id: string) => ledger.recordEffect(id, 'h', 'invoice', '{"number":"inv-1"}')

it('retention deletes the result of an effect with the snapshot, and keeps the fact that it happened', async () => {
  await store('done')
  await invoice('done')
  await work('done')
  await leftAfter(29)
  expect(await isValueLeft('done')).toBe(true)
  expect(await leftAfter(2)).toEqual(nothing)
  expect(await isValueLeft('done')).toBe(false)
  await invoice('done')
  expect(await isValueLeft('done')).toBe(false)
})

it('retention keeps results of effects for 90 more days while their resource goes on', async () => {
  await store('lively')
  await invoice('lively')
  for (const days of [30, 30, 30, 29]) {
    await work('lively', { terminal: false, pollInMs: dayMs })
    await leftAfter(days)
    await store('lively')
  }
  expect(await isValueLeft('lively')).toBe(true)
  await work('lively', { terminal: false, pollInMs: dayMs })
  expect(await leftAfter(2)).toMatchObject({ snapshots: 1 })
  expect(await isValueLeft('lively')).toBe(false)
})

it('retention keeps the result of an effect while its parked work may be retried', async () => {
  await store('parked')
  await invoice('parked')
  await work('parked', { result: 'parked' })
  await leftAfter(364)
  expect(await isValueLeft('parked')).toBe(true)
  await leftAfter(2)
  expect(await isValueLeft('parked')).toBe(false)
})

it('retention deletes the baseline of a handler long unconcerned by its active resource', async () => {
  await store('lively')
  await work('lively', { terminal: false, pollInMs: dayMs })
  await pass(100)
  await store('lively')
  await work('lively', { terminal: false, pollInMs: dayMs, result: 'none' })
  expect(await leftAfter(21)).toEqual({ ...all, baselines: 0 })
})

it('retention keeps due work a week longer, then keeps the work without content', async () => {
  await store('due')
  await work('due', { dueInMs: 0 })
  expect(await leftAfter(36)).toEqual(all)
  expect(await leftAfter(2)).toEqual(nothing)
  const claim = await ledger.claim('due', 1_000, { prior_authorization: ['new'] })
  expect(claim).toMatchObject({ events: [{ type: 'prior_authorization.status_change' }], newestBody: undefined })
  expect(await ledger.bodies('due')).toEqual([])
})

it('retention keeps parked work for its own period, reports its age, and counts deleted bodies', async () => {
  await store('parked')
  await work('parked', { result: 'parked' })
  await pass(10)
  await store('parked later')
  await work('parked later', { result: 'parked' })
  expect(await leftAfter(354)).toEqual({ bodies: 2, snapshots: 2, baselines: 2 })
  expect((await ledger.counts()).oldestParkedMs).toBe(364 * dayMs)
  await pass(2)
  // By it the end of a round is seen.
  now -= 100 * dayMs
  await store('nothing', 'none')
  now += 100 * dayMs
  const gone = (await retain()).filter(({ msg }) => String(msg).includes('PARKED_RETENTION_DAYS'))
  expect(gone).toMatchObject([{ level: 'warn', count: 1 }])
  expect(await leftAfter(0)).toEqual(all)
  expect((await ledger.work({ state: 'parked' }, 10)).rows).toHaveLength(2)
  expect((await ledger.retryWork({}, act)).retried).toHaveLength(2)
  expect((await ledger.counts()).oldestParkedMs).toBe(0)
})

it('retention returns any amount of space to the disk while the ledger is open', async () => {
  for (let batch = 0; batch < 6; batch += 1)
    await Promise.all(Array.from({ length: 1_000 }, (_, n) => store(`${batch} ${n}`, 'none', 8_000)))
  expect((await stat(path)).size).toBeGreaterThan(40_000_000)
  await pass(31)
  await retain()
  expect((await stat(path)).size).toBeLessThan(8_000_000)
})

/** Content of a file; empty if there is none. */
const contentOf = (file: string) => readFile(file, 'latin1').catch(() => '')

it('retention leaves no deleted byte in the file and its log while the ledger is open', async () => {
  const canary = 'KANARI-ON-DISK'
  await store(canary, 'none', 100)
  await store('newest', 'none')
  expect(await contentOf(`${path}-wal`)).toContain(canary)
  await pass(31)
  await retain()
  // The round ends with it, after its line in the log.
  await until(
    'no byte is left',
    async () => !(await contentOf(path)).includes(canary) && !(await contentOf(`${path}-wal`)).includes(canary),
  )
})

it('retention reports a reader that keeps deleted rows in the log, blocks no writer, and removes them later', async () => {
  const canary = 'KANARI-READ'
  await store(canary, 'none', 100)
  await store('newest', 'none')
  const reader = new Sqlite(path)
  reader.exec('begin')
  expect(reader.prepare('select count(*) as count from events').get()).toEqual({ count: 2 })
  await pass(31)
  for (let cursor: number | undefined = 0; cursor !== undefined;) cursor = (await ledger.purge(keep, cursor)).cursor
  const order: string[] = []
  const wiped = ledger.wipe().then((result) => order.push(result))
  await store('beside').then(() => order.push('stored'))
  await wiped
  expect(order).toEqual(['stored', 'busy'])
  reader.exec('commit')
  reader.close()
  expect(await ledger.wipe()).toBe('wiped')
  expect([await contentOf(path), await contentOf(`${path}-wal`)].join()).not.toContain(canary)
})

it('retention in a gateway deletes contents older than RETENTION_DAYS', async () => {
  const handler = defineHandler({ name: 'h', on: ['prior_authorization.status_change'], handle: async () => {} })
  const service = createScriptedApi()
  const data = { id: 'done', status: 'cancelled' }
  service.set(data)
  service.set({ id: 'newest', status: 'created' })
  const start = (aheadMs: number) =>
    startLocalGateway(
      { api: service.api, handlers: [handler], clock: { now: () => Date.now() + aheadMs } },
      { DATABASE_URL: `file:${join(folder, 'gateway.db')}`, RETENTION_DAYS: '2' },
    )
  const before = await start(0)
  await deliver(before.url, envelope(data))
  await until('it is in sync and given back', async () => {
    const resource = await before.ledger.resource('done')
    return resource?.progress[0]?.state === 'synced' && resource.dueAt === undefined
  })
  await deliver(before.url, envelope({ id: 'newest', status: 'created' }))
  await before.destroy()
  const after = await start(3 * dayMs)
  await until('its event is deleted', async () => (await after.ledger.resource('done'))?.events === 0)
  await after.destroy()
})

describe('retention after 401 days', () => {
  const canary = 'KANARI-LAST-WORD'
  const kinds = ['prior_authorization', 'benefit_verification', 'provider_outreach'] as const
  const lives = [
    'unread',
    'done',
    'open',
    'polled',
    'parked',
    'failing',
    'retried',
    'lost',
    'repeated',
    'erased',
  ] as const

  /** Leaves a resource as it is in one stage of its life, with the canary wherever contents can be. */
  async function live(id: string, kind: ResourceKind, life: (typeof lives)[number], size: number): Promise<void> {
    const data = (n: number) => ({ id, patient: { internal_id: canary }, n, filler: `${canary} `.repeat(size) })
    const hearOf = (n: number) =>
      ledger.accept(aDelivery({ resourceId: id, kind, eventType: `${kind}.status_change`, body: { data: data(n) } }))
    await hearOf(1)
    if (life === 'repeated') await hearOf(1)
    if (life === 'unread') return
    const claim = await ledger.claim(id, 1_000, {})
    if (claim === undefined) throw new Error(`${id} could not be claimed`)
    const eventId = claim.newestEventId
    const run = {
      handler: 'h',
      startedAt: now,
      finishedAt: now,
      firstEventId: 1,
      lastEventId: eventId,
      writes: [],
    }
    const read = (n: number): Note => ({
      of: 'snapshot',
      text: JSON.stringify(data(n)),
      eventId,
      terminal: life === 'done',
      pollInMs: life === 'polled' ? dayMs : undefined,
      facts: {
        readAt: now,
        changes: [{ field: 'status', to: 'x' }],
        identifiers: [{ field: 'mrn', value: canary }],
        outcome: { course: { status: 'x' }, groups: { drug: canary } },
      },
    })
    const error = { code: 'no', message: 'no' }
    const failure = (delayMs: number | undefined): Note => ({
      of: 'failure',
      run: { ...run, error, attempts: 1, delayMs },
    })
    await ledger.record(claim, [read(1), { of: 'success', run }, read(2)])
    await ledger.recordEffect(id, 'h', 'invoice', JSON.stringify(data(3)))
    if (life === 'lost') return
    const isFailing = life === 'failing'
    const notes = life === 'parked' || life === 'retried' ? [failure(undefined)] : isFailing ? [failure(1_000)] : []
    await ledger.release(claim, { notes, dueInMs: isFailing ? 1_000 : undefined, restMs: 0 })
    if (life === 'retried') await ledger.retryWork({ resourceId: id }, act)
    if (life === 'erased') await ledger.erase(id, canary, act)
  }

  it('leaves no content of any kind, status and path in the file, and keeps all other facts', async () => {
    await ledger.audit({ ...act, action: 'process.start' })
    for (const kind of kinds)
      for (const life of lives) for (const size of [1, 2_000]) await live(`${kind} ${life} ${size}`, kind, life, size)
    // About no resource, and of no type that is known.
    await store(canary, 'none', 10_000)
    await store('newest', 'none')
    expect(await readFile(path, 'latin1')).toContain(canary)
    await pass(401)
    for (let cursor: number | undefined = 0; cursor !== undefined;) cursor = (await ledger.purge(keep, cursor)).cursor
    expect(await ledger.resource('prior_authorization parked 1')).toMatchObject({ progress: [{ state: 'parked' }] })
    expect(await ledger.verifyAudit()).toMatchObject({ rows: 13, faults: [] })
    await ledger.close()
    expect(await readFile(path, 'latin1')).not.toContain(canary)
  })
})
