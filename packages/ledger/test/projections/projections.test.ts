import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { act } from '../../../../test/support/act.ts'
import { describeOnPostgres } from '../../../../test/support/postgres.ts'
import { systemClock } from '../../../base/src/clock.ts'
import { createLedger } from '../../src/create-ledger.ts'
import type { Note } from '../../src/hot/notes.ts'
import type { Ledger } from '../../src/ledger.ts'
import { openStorage } from '../../src/open-storage.ts'
import { createSeal } from '../../src/sealing/seal.ts'
import type { Storage } from '../../src/storage.ts'
import { aDelivery } from '../a-delivery.ts'
import { describeOnSqlite } from '../on-each-storage.ts'
import { atTime } from '../at-time.ts'

const dayMs = 86_400_000
const key = randomBytes(32)
const period = { from: 0, to: 10_000 * dayMs }

/** Projections of a ledger in the database at this address. */
function describeProjections(newUrl: () => Promise<string>) {
  let url: string
  let storage: Storage
  let ledger: Ledger
  let now: number

  beforeEach(async () => {
    now = 1_000 * dayMs
    url = await newUrl()
    await open()
  })
  afterEach(() => ledger.close())

  async function open() {
    storage = await openAnother()
    ledger = createLedger({ storage, seal: createSeal([key]) })
  }
  const openAnother = async () => atTime(await openStorage(url, { clock: systemClock, onError: () => {} }), () => now)

  /** Hears of a PA, and records its snapshot. */
  async function release(id: string, status = 'processing', { by = ledger, more = [] as Note[] } = {}): Promise<void> {
    now += 1_000
    await by.accept(aDelivery({ resourceId: id, body: { id, now } }))
    const claim = await by.claim(id, 1_000_000, {})
    if (claim === undefined) throw new Error(`${id} could not be claimed`)
    const snapshot: Note = {
      of: 'snapshot',
      text: JSON.stringify({ id, status, now }),
      eventId: claim.newestEventId,
      terminal: false,
      pollInMs: undefined,
      facts: {
        readAt: now,
        changes: [{ field: 'status', to: status }],
        identifiers: [{ field: 'mrn', value: `MRN-${id}` }],
        outcome: { course: { status }, groups: { drug: 'samplemab' } },
      },
    }
    await by.release(claim, { notes: [snapshot, ...more], dueInMs: undefined, restMs: 0 })
  }
  const find = async (id: string) => (await ledger.find({ value: `MRN-${id}` }, 10)).map((found) => found.id)
  const groups = async () =>
    (await ledger.listOutcomes({ ...period, by: 'drug' }, undefined)).rows.map(({ group }) => group)
  const lagging = async () =>
    Object.entries(await ledger.projectionLags()).flatMap(([name, lagMs]) => (lagMs === 0 ? [] : `${name} ${lagMs}`))

  it('are no part of a release, and tell how far they are behind', async () => {
    await release('pa_1')
    now += 5_000
    expect([await find('pa_1'), await groups()]).toEqual([[], []])
    expect(await lagging()).toEqual(['lookups 5000', 'outcomes 5000', 'runs 5000', 'deliveries 5000'])
    await ledger.catchUp()
    expect([await find('pa_1'), await groups()]).toEqual([['pa_1'], ['samplemab']])
    expect(await lagging()).toEqual([])
  })

  it('lose nothing when the process ends between a release and its projection', async () => {
    await release('pa_1')
    await ledger.close()
    await open()
    await ledger.catchUp()
    expect([await find('pa_1'), await groups()]).toEqual([['pa_1'], ['samplemab']])
  })

  it('read each row once, in steps, however many processes project at once', async () => {
    for (let n = 0; n < 60; n += 1) await release(`pa_${n}`)
    expect(await ledger.project(['outcomes'], 32)).toBe(true)
    const another = createLedger({ storage: await openAnother(), seal: createSeal([key]) })
    await Promise.all([ledger.catchUp(), another.catchUp()])
    await another.close()
    await ledger.catchUp()
    expect((await groups()).length).toBe(60)
    const delivered = (await ledger.tallies('hour', dayMs)).filter(({ name }) => name === 'delivered')
    expect(delivered.reduce((sum, { value }) => sum + value, 0)).toBe(60)
  })

  it('skip a resource that was erased before they reached it, and go on', async () => {
    await release('pa_1')
    await release('pa_2')
    await ledger.erase('pa_1', 'patient-7', act)
    await ledger.catchUp()
    expect([await find('pa_1'), await find('pa_2'), await groups()]).toEqual([[], ['pa_2'], ['samplemab']])
  })

  it('keep their numbers of the newest snapshot alone, and none that cannot be opened', async () => {
    await release('pa_1')
    await release('pa_1', 'completed')
    await sql`update states set identity = ${Buffer.from('{}')}`.execute(storage.db)
    await release('pa_2')
    await ledger.catchUp()
    expect([await find('pa_1'), await find('pa_2')]).toEqual([[], ['pa_2']])
  })

  it('are brought up to date before retention deletes what they read', async () => {
    await release('pa_1')
    now += 40 * dayMs
    await ledger.followClock(1_000)
    const keep = { keepMs: 30 * dayMs, parkedKeepMs: 365 * dayMs, reportKeepMs: 400 * dayMs }
    for (let cursor: number | undefined = 0; cursor !== undefined;) cursor = (await ledger.purge(keep, cursor)).cursor
    expect([await find('pa_1'), await groups(), await lagging()]).toEqual([[], ['samplemab'], []])
  })
}

describeOnSqlite('projections', (newPath) => describeProjections(() => Promise.resolve(`file:${newPath()}`)))

describeOnPostgres('projections on PostgreSQL', (createLedgerDatabase) => {
  describe('of one ledger', () => describeProjections(createLedgerDatabase))

  it('wait for a transaction that may still be open with a lower number, for half a minute', async () => {
    let now = 1_000 * dayMs
    const opened = await openStorage(await createLedgerDatabase(), { clock: systemClock, onError: () => {} })
    const storage = atTime(opened, () => now)
    const ledger = createLedger({ storage, seal: createSeal([key]) })
    try {
      const append = (db: typeof storage.db) =>
        db
          .insertInto('journal')
          .values({ resource: 1, previous: null, at: now, entry: '{"runs":[],"changes":[]}' })
          .execute()
      const cursor = async () => {
        await ledger.catchUp()
        return (await storage.db.selectFrom('projections').select('last_id').execute())[0]?.last_id
      }
      await append(storage.db)
      expect(await cursor()).toBe(1)
      await storage.db.transaction().execute(async (trx) => {
        await append(trx)
        await append(storage.db)
        expect(await cursor()).toBe(1)
      })
      expect(await cursor()).toBe(3)
      await storage.db
        .transaction()
        .execute(async (trx) => {
          await append(trx)
          throw new Error('rolled back')
        })
        .catch(() => undefined)
      await append(storage.db)
      expect(await cursor()).toBe(3)
      now += 31_000
      expect(await cursor()).toBe(5)
    } finally {
      await ledger.close()
    }
  })
})
