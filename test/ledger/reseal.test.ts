import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createLedger } from '../../src/ledger/create-ledger.ts'
import type { Ledger } from '../../src/ledger/ledger.ts'
import { openPostgres } from '../../src/ledger/postgres/open-postgres.ts'
import { createSeal } from '../../src/ledger/seal.ts'
import { openSqlite } from '../../src/ledger/sqlite/open-sqlite.ts'
import type { Storage } from '../../src/ledger/storage.ts'
import { snapshotFacts } from '../../src/work/snapshot-facts.ts'
import { act } from '../support/act.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'

const [older, newer] = [randomBytes(32), randomBytes(32)]
/** More than one step goes through. */
const count = 45

/** Changing the sealing key of a ledger, on any kind of storage. */
function describeResealing(open: () => Promise<Storage>) {
  let storage: Storage
  let ledger: Ledger
  let heard = 0

  beforeEach(async () => {
    storage = await open()
    ledger = withKeys([older])
  })
  afterEach(() => ledger.close())

  const withKeys = (keys: Uint8Array[]) => createLedger({ storage, seal: createSeal(keys) })

  const hear = (id: string | undefined) =>
    ledger.accept({
      resourceId: id,
      kind: id === undefined ? undefined : 'prior_authorization',
      eventType: 'prior_authorization.status_change',
      eventKey: undefined,
      body: Buffer.from(JSON.stringify({ of: id ?? 'nobody', heard: (heard += 1) })),
      source: 'webhook',
    })

  /** Leaves a sealed value in every column that has some. */
  async function fill(): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const id = `pa_req_${n}`
      await hear(id)
      const claim = await ledger.claim(id, 60_000, {})
      if (claim === undefined) throw new Error(`${id} could not be claimed`)
      const data = { id, status: 'processing', patient: { mrn: `MRN-${n}` } }
      const text = JSON.stringify(data)
      const run = { handler: 'chart', startedAt: 1, finishedAt: 2, firstEventId: 1, lastEventId: 1, writes: [] }
      const error = { code: 'refused', message: 'The chart is locked.' }
      const facts = snapshotFacts(undefined, { data, text, readAt: 1 })
      const eventId = claim.newestEventId
      await ledger.record(claim, [{ of: 'snapshot', text, eventId, terminal: false, pollInMs: undefined, facts }])
      await ledger.release(claim, {
        notes: [
          { of: 'failure', run: { ...run, handler: 'desk', error, attempts: 1, delayMs: undefined } },
          { of: 'success', run },
        ],
        dueInMs: undefined,
        restMs: 0,
      })
      await ledger.recordEffect(id, 'chart', 'announced', '{"channel":"team"}')
    }
    await hear(undefined)
  }

  async function reseal(by: Ledger, dryRun = false) {
    const sum = { keys: {} as Record<string, number>, resealed: 0, unreadable: 0, steps: 0 }
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const step = await by.reseal({ cursor, dryRun }, act)
      for (const [key, found] of Object.entries(step.keys)) sum.keys[key] = (sum.keys[key] ?? 0) + found
      sum.resealed += step.resealed
      sum.unreadable += step.unreadable
      sum.steps += 1
      cursor = step.cursor
    }
    return sum
  }
  /** Of each resource a body, a snapshot, a baseline, a snapshot tried and the result of an effect; and one body of nobody. */
  const all = count * 5 + 1
  const keyOf = (key: Uint8Array) => createSeal([key]).keyOf(createSeal([key]).seal(Buffer.from('{}'), '' as never))

  /** What can be read of one resource. */
  async function readAll(by: Ledger, id: string) {
    await hear(id)
    const claim = await by.claim(id, 60_000, { prior_authorization: ['chart', 'desk'] })
    if (claim === undefined) throw new Error(`${id} could not be claimed`)
    await by.release(claim, { notes: [], dueInMs: undefined, restMs: 0 })
    return {
      bodies: (await by.bodies(id)).map(({ body }) => Buffer.from(body).toString()),
      snapshot: claim.snapshot?.document,
      baseline: claim.progress.get('chart')?.baseline,
      tried: claim.progress.get('desk')?.tried,
      effect: await by.effect(id, 'chart', 'announced'),
    }
  }

  it('seals every value with the newest key, so that the old one can be taken out', async () => {
    await fill()
    const before = await readAll(ledger, 'pa_req_7')
    await reseal(ledger)
    const rotated = withKeys([newer, older])
    const done = await reseal(rotated)
    expect(done).toMatchObject({ resealed: all + 1, unreadable: 0 })
    expect(done.steps).toBeGreaterThan(2)
    ledger = withKeys([newer])
    expect(await reseal(ledger, true)).toMatchObject({ keys: { [keyOf(newer)]: all + 1 }, resealed: 0 })
    const after = await readAll(ledger, 'pa_req_7')
    expect({ ...after, bodies: after.bodies.slice(0, 2) }).toEqual(before)
    expect(await ledger.find({ value: 'MRN-7', fields: ['mrn'] }, 10)).toMatchObject([{ id: 'pa_req_7', by: 'mrn' }])
  })

  it('only counts in a dry run, and goes on where it was stopped', async () => {
    await fill()
    const rotated = withKeys([newer, older])
    expect(await reseal(rotated, true)).toMatchObject({ keys: { [keyOf(older)]: all }, resealed: all })
    await rotated.reseal({ cursor: undefined, dryRun: false }, act)
    const rest = await reseal(rotated)
    expect(rest.keys).toMatchObject({ [keyOf(newer)]: 100, [keyOf(older)]: all - 100 })
    expect(rest.resealed).toBe(all - 100)
    expect(await reseal(rotated, true)).toMatchObject({ resealed: 0 })
  })

  it('seals what was stored before there was a key', async () => {
    ledger = withKeys([])
    await fill()
    expect(await reseal(withKeys([newer]))).toMatchObject({ keys: { none: all }, resealed: all })
    expect(await reseal(withKeys([newer]), true)).toMatchObject({ keys: { [keyOf(newer)]: all } })
  })

  it('leaves alone what no listed key opens, and says so', async () => {
    await fill()
    const withoutOld = withKeys([newer])
    expect(await reseal(withoutOld)).toMatchObject({ resealed: 0, unreadable: all })
    expect((await readAll(ledger, 'pa_req_1')).snapshot).toMatchObject({ text: expect.stringContaining('MRN-1') })
  })

  it('does not open what somebody moved to another row', async () => {
    await fill()
    const source = sql`select snapshot from resources where id = 'pa_req_2'`
    await sql`update resources set snapshot = (${source}) where id = 'pa_req_1'`.execute(storage.db)
    expect((await readAll(ledger, 'pa_req_1')).snapshot).toHaveProperty('broken')
  })

  it('is written into the audit trail once, and not where it only counts', async () => {
    await fill()
    const rotated = withKeys([newer, older])
    await reseal(rotated, true)
    await reseal(rotated)
    const entries = await rotated.readAudit({}, 10)
    expect(entries.filter(({ action }) => action === 'keys.rotate')).toHaveLength(1)
  })
}

describe('changing the sealing key of a ledger on SQLite', () => {
  let folder: string
  let files = 0
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-reseal-'))
  })
  afterAll(() => rm(folder, { recursive: true }))
  describeResealing(() => openSqlite(join(folder, `${(files += 1)}.db`), Date))
})

describeWithPostgres('changing the sealing key of a ledger on PostgreSQL', () => {
  let postgres: TestPostgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.close())
  describeResealing(async () => openPostgres(await postgres.createDatabase(), () => {}))
})
