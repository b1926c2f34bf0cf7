import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { backUpLedger } from '../../../src/ledger/back-up-ledger.ts'
import type { BodyStore } from '../../../src/ledger/bodies/body-store.ts'
import { openBodyStore } from '../../../src/ledger/bodies/open-body-store.ts'
import { checkLedger } from '../../../src/ledger/check-ledger.ts'
import { copyLedger } from '../../../src/ledger/copy/copy-ledger.ts'
import { openLocalLedger } from '../../../src/ledger/open-local-ledger.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../../support/postgres.ts'

const dayMs = 86_400_000
const sealingKeys = [randomBytes(32)]
const bodyOf = (id: string) => JSON.stringify({ data: { id } })

let folder: string
let url: string
let store: BodyStore
const bodyStore = () => ({ kind: 'folder', path: join(folder, 'bodies') }) as const

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-moved-'))
  url = `file:${join(folder, 'pawl.db')}`
  store = await openBodyStore(bodyStore())
  let now = Date.now() - 2 * dayMs
  const ledger = await open(url, { now: () => now })
  for (const id of ['pa_1', undefined])
    await ledger.accept({
      resourceId: id,
      kind: id === undefined ? undefined : 'prior_authorization',
      eventType: 'prior_authorization.status_change',
      eventKey: undefined,
      body: Buffer.from(bodyOf(id ?? 'nobody')),
      source: 'webhook',
    })
  now = Date.now()
  expect(await ledger.moveBodies(0)).toMatchObject({ moved: 2 })
  await ledger.close()
})
afterEach(() => rm(folder, { recursive: true }))

const open = (databaseUrl: string, clock: { now(): number } = systemClock) =>
  openLocalLedger({ databaseUrl, sealingKeys, bodyStore: bodyStore() }, { clock, onError() {} })

async function keys(): Promise<string[]> {
  const days = await store.days()
  return (await Promise.all(days.map(async (day) => (await store.list(day)).keys))).flat().toSorted()
}

it('a check reads the bodies in the store as well', async () => {
  const { faults, keys: found } = await checkLedger(url, { sealingKeys, bodyStore: bodyStore() })
  expect(faults).toEqual([])
  expect(Object.values(found)).toEqual([2])
})

it('a check names each body that the store lost, and one that was altered there', async () => {
  const [first = '', second = ''] = await keys()
  await store.delete([first])
  const altered = Buffer.from((await store.get(second)) ?? [])
  altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1
  await store.put(second, altered)
  const { faults } = await checkLedger(url, { sealingKeys, bodyStore: bodyStore() })
  expect(faults.map(({ says }) => says)).toEqual([
    `The store has no body of event 1: ${first} is missing.`,
    'A stored body does not match its seal: the database was altered or damaged.',
  ])
})

it('a check says where bodies are in a store that it was not told of', async () => {
  const { faults } = await checkLedger(url, { sealingKeys })
  expect(faults.map(({ says }) => says)).toEqual([
    'The body of event 1 is in a store, and BODY_STORE is not set.',
    'The body of event 2 is in a store, and BODY_STORE is not set.',
  ])
})

it('a backup leads to the bodies in the store', async () => {
  const to = join(folder, 'backup.db')
  await backUpLedger(url, { to, env: {} })
  expect((await checkLedger(`file:${to}`, { sealingKeys, bodyStore: bodyStore() })).faultCount).toBe(0)
})

describeWithPostgres('a copy on PostgreSQL', () => {
  let postgres: TestPostgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.close())

  it('leads to the bodies in the store, and knows what is still to be deleted there', async () => {
    const [key = ''] = await keys()
    const source = await open(url)
    await source.erase('pa_1', '4711', { actor: { name: 'maria', via: 'command' }, reason: 'asked for' })
    await source.close()
    await store.put(key, Buffer.from('still there'))

    const to = await postgres.createDatabase()
    await copyLedger({
      from: url,
      to,
      sealingKeys,
      actor: { name: 'maria', via: 'command' },
      clock: systemClock,
      signal: new AbortController().signal,
      onProgress() {},
    })
    expect((await checkLedger(to, { sealingKeys, bodyStore: bodyStore() })).faultCount).toBe(0)
    const ledger = await open(to)
    expect((await ledger.bodies('')).map(({ body }) => Buffer.from(body).toString())).toEqual([bodyOf('nobody')])
    expect(await ledger.deleteGoneBodies()).toBe(0)
    expect(await keys()).toHaveLength(1)
    await ledger.close()
  })
})
