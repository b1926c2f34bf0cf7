import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLedger } from '../../src/create-ledger.ts'
import type { Note } from '../../src/hot/notes.ts'
import type { Ledger } from '../../src/ledger.ts'
import { createSeal } from '../../src/sealing/seal.ts'
import { readDocument } from '../../src/sealing/documents.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import type { Storage } from '../../src/storage.ts'
import { aDelivery } from '../a-delivery.ts'

const handlers = { prior_authorization: ['chart', 'desk', 'pharmacy'] }
let folder: string
let storage: Storage
let ledger: Ledger
let events = 0

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-'))
  storage = await openSqlite(join(folder, 'pawl.db'), { now: Date.now })
  ledger = createLedger({ storage, seal: createSeal([]) })
})
afterEach(async () => {
  await ledger.close()
  await rm(folder, { recursive: true })
})

const states = async () => {
  const read = (table: 'states' | 'baselines') => storage.db.selectFrom(table).select(['version', 'snapshot']).execute()
  const rows = [...(await read('baselines')), ...(await read('states'))].toSorted((a, b) => a.version - b.version)
  return rows.map(({ snapshot }) => JSON.parse(Buffer.from(snapshot ?? []).toString()) as unknown)
}

/** Works on the resource once: it has this state, and each handler these results. */
async function work(state: object | 'as it was', results: Record<string, 'success' | 'failure'>) {
  await ledger.accept(aDelivery({ resourceId: 'pa', body: { n: (events += 1) } }))
  const claim = await ledger.claim('pa', 60_000, handlers)
  if (claim === undefined) throw new Error('The resource could not be claimed.')
  const eventId = claim.newestEventId
  const text = state === 'as it was' ? undefined : JSON.stringify(state)
  const run = { startedAt: 1, finishedAt: 2, firstEventId: eventId, lastEventId: eventId, writes: [] }
  const failure = { ...run, error: { code: 'no', message: 'no' }, attempts: 1, delayMs: 0 }
  const notes: Note[] = [
    { of: 'snapshot', text, eventId, terminal: false, pollInMs: undefined },
    ...Object.entries(results).map(([handler, of]): Note =>
      of === 'success' ? { of, run: { ...run, handler } } : { of, run: { ...failure, handler } },
    ),
  ]
  await ledger.release(claim, { notes, dueInMs: 0, restMs: 0 })
  return claim
}
const success = { chart: 'success', desk: 'success', pharmacy: 'success' } as const

it('the ledger stores a state once for all handlers in sync with it', async () => {
  await work({ v: 1 }, success)
  expect(await states()).toEqual([{ v: 1 }])
})

it('the ledger stores no second copy of a state that was read again unchanged', async () => {
  await work({ v: 1 }, success)
  await work('as it was', success)
  expect(await states()).toEqual([{ v: 1 }])
  const claim = await work({ v: 2 }, success)
  expect(claim.snapshot).toMatchObject({ document: { text: '{"v":1}' } })
})

it('the ledger keeps a state only while a handler compares with it or failed with it', async () => {
  await work({ v: 1 }, success)
  await work({ v: 2 }, { ...success, desk: 'failure' })
  await work({ v: 3 }, { ...success, desk: 'failure' })
  expect(await states()).toEqual([{ v: 1 }, { v: 2 }, { v: 3 }])
  const claim = await work({ v: 4 }, success)
  expect(readDocument(claim.progress.get('desk')?.baseline)).toEqual({ v: 1 })
  expect(claim.progress.get('desk')?.tried.map(readDocument)).toEqual([{ v: 2 }, { v: 3 }])
  expect(await states()).toEqual([{ v: 4 }])
})
