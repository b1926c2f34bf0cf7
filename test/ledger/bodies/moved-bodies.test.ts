import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  BodyMissing,
  type BodyStore,
  BodyStoreAway,
  type BodyStoreSettings,
} from '../../../src/ledger/bodies/body-store.ts'
import { openBodyStore } from '../../../src/ledger/bodies/open-body-store.ts'
import { startBodyMoves } from '../../../src/ledger/bodies/start-body-moves.ts'
import { createLedger } from '../../../src/ledger/create-ledger.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { openPostgres } from '../../../src/ledger/postgres/open-postgres.ts'
import { createSeal } from '../../../src/ledger/seal.ts'
import { openSqlite } from '../../../src/ledger/sqlite/open-sqlite.ts'
import type { Storage } from '../../../src/ledger/storage.ts'
import type { ResourceKind } from '../../../src/resources/kinds.ts'
import { act } from '../../support/act.ts'
import { captureLog } from '../../support/log-capture.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../../support/postgres.ts'
import { startS3, type TestS3 } from '../../support/s3.ts'
import { until } from '../../support/until.ts'

const dayMs = 86_400_000
const keep = { keepMs: 30 * dayMs, parkedKeepMs: 365 * dayMs, reportKeepMs: 400 * dayMs }
const [older, newer] = [randomBytes(32), randomBytes(32)]
const [hers, his] = ['KANARI-4711', 'NEIGHBOUR-0815']

/** Bodies that moved to a store, on any kind of storage and of store. */
function describeMoved(open: () => Promise<Storage>, settings: () => BodyStoreSettings) {
  let storage: Storage
  let store: BodyStore
  let ledger: Ledger
  let now: number

  beforeEach(async () => {
    now = Date.parse('2026-11-22T12:00:00Z')
    storage = { ...(await open()), now: () => Promise.resolve(now) }
    store = await openBodyStore(settings())
    ledger = withStore(store)
  })
  afterEach(() => ledger.close())

  const withStore = (bodyStore: BodyStore | undefined, keys: Uint8Array[] = [older]) =>
    createLedger({ storage, seal: createSeal(keys), bodyStore })

  const bodyFor = (id: string | undefined, patient = his) =>
    JSON.stringify({ data: { id, at: now, patient: { internal_id: patient } } })

  async function hear(
    id: string | undefined,
    {
      kind = 'prior_authorization',
      patient = his,
      by = ledger,
    }: { kind?: ResourceKind; patient?: string; by?: Ledger } = {},
  ) {
    now += 10
    const body = bodyFor(id, patient)
    const { eventId } = await by.accept({
      resourceId: id,
      kind: id === undefined ? undefined : kind,
      eventType: `${kind}.status_change`,
      eventKey: undefined,
      body: Buffer.from(body),
      source: 'webhook',
    })
    return { eventId, body }
  }

  async function work(id: string): Promise<void> {
    // The tests set the clock.
    await ledger.followClock(1_000)
    const claim = await ledger.claim(id, 1_000, {})
    if (claim === undefined) throw new Error(`${id} could not be claimed`)
    await ledger.release(claim, { notes: [], dueInMs: undefined, restMs: 0 })
  }

  async function moveAll(by = ledger): Promise<number> {
    let moved = 0
    for (let cursor: number | undefined = 0; cursor !== undefined;) {
      const step = await by.moveBodies(cursor)
      moved += step.moved
      cursor = step.cursor
    }
    return moved
  }

  const rows = () => storage.db.selectFrom('events').select(['id', 'body', 'body_key']).orderBy('id').execute()
  /** Events whose bodies are in the ledger. */
  const inLedger = async () => (await rows()).filter(({ body }) => body.length > 0).map(({ id }) => id)

  async function keysInStore(): Promise<string[]> {
    const days = await store.days()
    return (await Promise.all(days.map(async (day) => (await store.list(day)).keys))).flat().toSorted()
  }
  const textsOf = async (id: string, by = ledger) =>
    (await by.bodies(id)).map(({ body }) => Buffer.from(body).toString())

  async function purgeAll(by = ledger): Promise<void> {
    for (let cursor: number | undefined = 0; cursor !== undefined;) ({ cursor } = await by.purge(keep, cursor))
  }

  /** A store that fails as one does that is away. */
  const awayStore: BodyStore = {
    put: () => Promise.reject(new BodyStoreAway('The store of BODY_STORE cannot be used (ECONNREFUSED).')),
    get: () => Promise.reject(new BodyStoreAway('The store of BODY_STORE cannot be used (ECONNREFUSED).')),
    delete: () => Promise.reject(new BodyStoreAway('The store of BODY_STORE cannot be used (ECONNREFUSED).')),
    days: () => Promise.reject(new BodyStoreAway('The store of BODY_STORE cannot be used (ECONNREFUSED).')),
    list: () => Promise.reject(new BodyStoreAway('The store of BODY_STORE cannot be used (ECONNREFUSED).')),
  }

  it('move once they are older than a day, sealed, and are read there like the others', async () => {
    const first = await hear('pa_1')
    const stray = await hear(undefined)
    expect(await moveAll()).toBe(0)
    now += dayMs + 1
    const last = await hear('pa_1')
    expect(await moveAll()).toBe(2)

    expect(await inLedger()).toEqual([last.eventId])
    const keys = await keysInStore()
    expect(keys).toHaveLength(2)
    expect(keys[0]).toMatch(new RegExp(`^2026-11-22/${first.eventId}-`))
    expect(keys[1]).toMatch(new RegExp(`^2026-11-22/${stray.eventId}-`))
    for (const key of keys) expect(Buffer.from((await store.get(key)) ?? []).includes(his)).toBe(false)
    expect(await textsOf('pa_1')).toEqual([first.body, last.body])
    expect(await moveAll()).toBe(0)
  })

  it('are recognised when the service sends a copy', async () => {
    const { eventId, body } = await hear('pa_1')
    now += dayMs + 1
    await moveAll()
    const again = await ledger.accept({
      resourceId: 'pa_1',
      kind: 'prior_authorization',
      eventType: 'prior_authorization.status_change',
      eventKey: undefined,
      body: Buffer.from(body),
      source: 'webhook',
    })
    expect(again).toMatchObject({ eventId, duplicate: true })
  })

  it('move in steps, however many they are, and whether their work is due or not', async () => {
    for (let n = 0; n < 95; n += 1) await hear(`pa_${n}`)
    await work('pa_3')
    now += dayMs + 1
    const { moved, cursor } = await ledger.moveBodies(0)
    expect(moved).toBeLessThan(95)
    expect(cursor).toBeDefined()
    expect(moved + (await moveAll())).toBe(95)
    expect(await inLedger()).toEqual([])
  })

  it('stay where handlers work from them: those of outreach attempts', async () => {
    const { eventId } = await hear('out_1', { kind: 'provider_outreach' })
    await hear('pa_1')
    now += dayMs + 1
    expect(await moveAll()).toBe(1)
    expect(await inLedger()).toEqual([eventId])
  })

  it('stay where they are not sealed, and move once they are', async () => {
    const unsealed = withStore(undefined, [])
    const { eventId, body } = await hear('pa_1', { by: unsealed })
    now += dayMs + 1
    expect(await moveAll()).toBe(0)
    expect(await inLedger()).toEqual([eventId])
    await ledger.reseal({ dryRun: false }, act)
    expect(await moveAll()).toBe(1)
    expect(await textsOf('pa_1')).toEqual([body])
  })

  it('stay while the store is away, nothing else waits for it, and they move once it is back', async () => {
    const { body } = await hear('pa_1')
    now += dayMs + 1
    const cut = withStore(awayStore)
    await expect(moveAll(cut)).rejects.toThrow(BodyStoreAway)
    expect(await textsOf('pa_1', cut)).toEqual([body])
    await hear('pa_2', { by: cut })
    await work('pa_2')
    expect(await moveAll()).toBe(1)
    expect(await textsOf('pa_1')).toEqual([body])
    await expect(cut.bodies('pa_1')).rejects.toThrow(BodyStoreAway)
    await expect(withStore(undefined).bodies('pa_1')).rejects.toThrow('BODY_STORE is not set')
    await cut.followClock(1_000)
    const claim = await cut.claim('pa_1', 1_000, {})
    expect(claim).toMatchObject({ resourceId: 'pa_1', newestBody: undefined })
  })

  it('that were put and not noted are put again under the same key', async () => {
    const { body } = await hear('pa_1')
    now += dayMs + 1
    const stopped = withStore({
      ...store,
      async put(key, bytes) {
        await store.put(key, bytes)
        throw new BodyStoreAway('The process ends here.')
      },
    })
    await expect(moveAll(stopped)).rejects.toThrow(BodyStoreAway)
    const keys = await keysInStore()
    expect(keys).toHaveLength(1)
    expect(await textsOf('pa_1', stopped)).toEqual([body])
    expect(await moveAll()).toBe(1)
    expect(await keysInStore()).toEqual(keys)
    expect(await textsOf('pa_1')).toEqual([body])
  })

  it('are moved once by two processes at the same time, and are still there', async () => {
    const { body } = await hear('pa_1')
    now += dayMs + 1
    const moved = await Promise.all([moveAll(), moveAll(withStore(store))])
    expect(moved.toSorted()).toEqual([0, 1])
    await ledger.tidyBodies(keep)
    expect(await textsOf('pa_1')).toEqual([body])
  })

  it('that the store lost are told of as such', async () => {
    const { eventId } = await hear('pa_1')
    now += dayMs + 1
    await moveAll()
    await store.delete(await keysInStore())
    await expect(ledger.bodies('pa_1')).rejects.toThrow(
      new BodyMissing(`The store has no body of event ${eventId}, though it was moved there.`),
    )
    const { resources } = await ledger.findPatient({ value: his }, act)
    expect(resources).toEqual([])
  })

  it('are found and erased there with their patient, and those of others stay', async () => {
    await hear('pa_hers', { patient: hers })
    const { eventId: stray } = await hear(undefined, { patient: hers })
    const { body } = await hear('pa_his')
    now += dayMs + 1
    await moveAll()

    const found = { resources: [] as string[], events: [] as number[] }
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const step = await ledger.findPatient({ value: hers, cursor }, act)
      found.resources.push(...step.resources.map(({ id }) => id))
      found.events.push(...step.events)
      cursor = step.cursor
    }
    expect(found).toEqual({ resources: ['pa_hers'], events: [stray] })
    expect(await ledger.erase('pa_hers', hers, act)).toMatchObject({ removed: { bodies: 1 } })
    expect(await ledger.eraseEvents([stray], hers, act)).toBe(1)
    expect(await ledger.deleteGoneBodies()).toBe(0)

    expect(await keysInStore()).toHaveLength(1)
    expect(await textsOf('pa_hers')).toEqual([])
    expect(await textsOf('pa_his')).toEqual([body])
  })

  it('of an erased patient go once the store is back, and pawl says how many are left', async () => {
    await hear('pa_hers', { patient: hers })
    now += dayMs + 1
    await moveAll()
    const cut = withStore(awayStore)
    await expect(cut.findPatient({ value: hers }, act)).rejects.toThrow(BodyStoreAway)
    await cut.erase('pa_hers', hers, act)
    expect(await cut.deleteGoneBodies()).toBe(1)
    expect(await keysInStore()).toHaveLength(1)
    await ledger.tidyBodies(keep)
    expect(await keysInStore()).toEqual([])
    expect(await ledger.deleteGoneBodies()).toBe(0)
  })

  it('are not left behind where they are erased while they move', async () => {
    await hear('pa_hers', { patient: hers })
    now += dayMs + 1
    const late = withStore({
      ...store,
      async put(key, bytes) {
        await ledger.erase('pa_hers', hers, act)
        await ledger.tidyBodies(keep)
        await store.put(key, bytes)
      },
    })
    expect(await moveAll(late)).toBe(0)
    await ledger.tidyBodies(keep)
    expect(await keysInStore()).toEqual([])
    expect(await inLedger()).toEqual([])
  })

  it('go when retention deletes their events', async () => {
    await hear('pa_old')
    await work('pa_old')
    await hear('pa_due')
    now += dayMs + 1
    await moveAll()
    now += keep.keepMs
    const young = await hear('pa_young')
    await work('pa_young')
    await purgeAll()
    await ledger.tidyBodies(keep)
    // What is due keeps its body for a week longer.
    expect((await keysInStore()).map((key) => key.slice(0, 10))).toEqual(['2026-11-22'])
    expect(await inLedger()).toEqual([young.eventId])
    now += 8 * dayMs
    await purgeAll()
    await ledger.tidyBodies(keep)
    expect(await keysInStore()).toEqual([])
    expect(await textsOf('pa_due')).toEqual([])
  })

  it('go too where nothing but the store remembers them, once their day is older than retention', async () => {
    await hear('pa_old')
    await hear('pa_kept')
    now += dayMs + 1
    await moveAll()
    await store.put('2026-11-22/999999-of-another-ledger', Buffer.from('x'))
    // As whoever drops many events at a time does.
    await storage.db.deleteFrom('events').where('resource_id', '=', 'pa_old').execute()
    await ledger.tidyBodies(keep)
    expect(await keysInStore()).toHaveLength(3)
    now += keep.keepMs + dayMs
    await ledger.tidyBodies(keep)
    const [kept] = await rows()
    expect(await keysInStore()).toEqual([kept?.body_key ?? '', '2026-11-22/999999-of-another-ledger'].toSorted())
  })

  it('go too where the ledger has no event left', async () => {
    await hear('pa_old')
    now += dayMs + 1
    await moveAll()
    await storage.db.deleteFrom('events').execute()
    now += keep.keepMs + dayMs
    expect(await ledger.tidyBodies(keep)).toBe(1)
    expect(await keysInStore()).toEqual([])
  })

  it('are sealed with the newest key where they are', async () => {
    const { body } = await hear('pa_1')
    await hear(undefined)
    now += dayMs + 1
    await moveAll()
    const keys = await keysInStore()
    const both = withStore(store, [newer, older])
    const sum = { resealed: 0, unreadable: 0 }
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const step = await both.reseal({ cursor, dryRun: false }, act)
      sum.resealed += step.resealed
      sum.unreadable += step.unreadable
      cursor = step.cursor
    }
    expect(sum).toEqual({ resealed: 2, unreadable: 0 })
    expect(await keysInStore()).toEqual(keys)
    expect(await textsOf('pa_1', withStore(store, [newer]))).toEqual([body])
  })

  it('are moved by turns, which tell once that the store is away and when it is back', async () => {
    await hear('pa_1')
    now += dayMs + 1
    const { log, lines } = captureLog()
    const counted: string[] = []
    let isAway = true
    const flaky = withStore({
      ...store,
      put: (key, bytes) => (isAway ? awayStore.put(key, bytes) : store.put(key, bytes)),
    })
    const moves = startBodyMoves({
      ledger: flaky,
      keep,
      log,
      count: (what) => counted.push(what),
      everyMs: 20,
      retryMs: 1,
    })
    await until('several failures', () => counted.filter((what) => what === 'failed').length > 3)
    isAway = false
    await until('the move', () => counted.includes('moved'))
    await moves.close()
    const said = lines()
      .map(({ msg }) => msg)
      .filter((msg) => String(msg).includes('store'))
    expect(said).toEqual([
      'the store of bodies cannot be used: bodies stay in the ledger until it can',
      'the store of bodies is back',
      'bodies moved to their store',
    ])
  })
}

describe('bodies in a folder, of a ledger on SQLite', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-moved-'))
  })
  afterEach(() => rm(folder, { recursive: true }))
  describeMoved(
    () => openSqlite(join(folder, 'pawl.db'), Date),
    () => ({ kind: 'folder', path: join(folder, 'bodies') }),
  )

  it('are files that hold nothing readable, with names that tell nothing', async () => {
    const storage = await openSqlite(join(folder, 'pawl.db'), { now: () => 1_000 * dayMs })
    const bodyStore = await openBodyStore({ kind: 'folder', path: join(folder, 'bodies') })
    const ledger = createLedger({ storage, seal: createSeal([older]), bodyStore })
    await ledger.accept({
      resourceId: 'pa_1',
      kind: 'prior_authorization',
      eventType: 'prior_authorization.status_change',
      eventKey: undefined,
      body: Buffer.from(JSON.stringify({ patient: hers })),
      source: 'webhook',
    })
    await storage.db
      .updateTable('events')
      .set({ received_at: 998 * dayMs })
      .execute()
    expect(await ledger.moveBodies(0)).toEqual({ moved: 1, cursor: undefined })
    const [day = ''] = await readdir(join(folder, 'bodies'))
    const [name = ''] = await readdir(join(folder, 'bodies', day))
    expect(name).toMatch(/^1-[\w-]{22}$/)
    expect((await readFile(join(folder, 'bodies', day, name))).includes(hers)).toBe(false)
    await ledger.close()
  })
})

describe('bodies in an S3-compatible store, of a ledger on SQLite', () => {
  let folder: string
  let s3: TestS3
  let bucketNumber = 0
  beforeAll(async () => {
    s3 = await startS3()
  })
  afterAll(() => s3.close())
  beforeEach(async () => {
    bucketNumber += 1
    folder = await mkdtemp(join(tmpdir(), 'pawl-moved-'))
  })
  afterEach(() => rm(folder, { recursive: true }))
  describeMoved(
    () => openSqlite(join(folder, 'pawl.db'), Date),
    () => ({ ...s3.settings, prefix: `test-${bucketNumber}` }),
  )
})

describeWithPostgres('bodies in a folder, of a ledger on PostgreSQL', () => {
  let postgres: TestPostgres
  let folder: string
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.close())
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-moved-'))
  })
  afterEach(() => rm(folder, { recursive: true }))
  describeMoved(
    async () => openPostgres(await postgres.createDatabase(), () => {}),
    () => ({ kind: 'folder', path: join(folder, 'bodies') }),
  )
})
