import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { defineHandler } from '#pawl'
import { createLedger } from '../../src/ledger/create-ledger.ts'
import type { Ledger, Note } from '../../src/ledger/ledger.ts'
import { startRetention } from '../../src/ledger/retention.ts'
import { createSeal } from '../../src/ledger/seal.ts'
import { openSqlite } from '../../src/ledger/sqlite/open-sqlite.ts'
import { captureLog } from '../support/log-capture.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { startTestGateway } from '../support/start-test-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'

const dayMs = 86_400_000

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

async function store(id: string, size = 100): Promise<void> {
  await ledger.accept({
    resourceId: id,
    kind: 'prior_authorization',
    eventType: 'prior_authorization.status_change',
    eventKey: undefined,
    body: Buffer.from(JSON.stringify({ id, now, filler: 'x'.repeat(size) })),
    source: 'webhook',
  })
}

/** Works the resource off as the dispatch does; `park` fails it for good. */
async function work(id: string, { park = false } = {}): Promise<void> {
  const claim = await ledger.claim(id, 1_000, {})
  if (claim === undefined) throw new Error(`${id} could not be claimed`)
  const eventId = claim.newestEventId
  const run = { handler: 'h', startedAt: now, finishedAt: now, firstEventId: eventId, lastEventId: eventId, writes: [] }
  const failure = { ...run, error: { code: 'no', message: 'no' }, attempts: 1, delayMs: undefined }
  const notes: Note[] = [
    { of: 'snapshot', text: JSON.stringify({ id }), eventId, terminal: true, pollInMs: undefined },
    park ? { of: 'failure', run: failure } : { of: 'success', run },
  ]
  await ledger.release(claim, { notes, dueInMs: undefined, restMs: 0 })
}

/** Lets retention alone do it, until it says that its round is over. */
async function retain(): Promise<void> {
  const { log, lines } = captureLog()
  const retention = startRetention({ ledger, keepMs: 30 * dayMs, log })
  await until('a round that deleted something', () => lines().some(({ msg }) => msg === 'old events deleted'))
  await retention.close()
}

async function passAMonth(): Promise<void> {
  now += 31 * dayMs
  // To the ledger, a clock that was set.
  await ledger.followClock(1_000)
}

it('deletes what is old, and keeps what is young, due or parked', async () => {
  for (const id of ['done', 'parked', 'due']) await store(id)
  await work('done')
  await work('parked', { park: true })
  await passAMonth()
  await store('young')
  await work('young')
  await retain()
  const left = async (id: string) => (await ledger.resource(id))?.events
  expect([await left('done'), await left('parked'), await left('due'), await left('young')]).toEqual([0, 1, 1, 1])
})

it('forgets what a finished resource looked like, and takes it up again when it is heard of again', async () => {
  await store('done')
  await work('done')
  await passAMonth()
  await retain()
  await store('done')
  const claim = await ledger.claim('done', 1_000, {})
  expect(claim?.snapshot).toBeUndefined()
  expect(claim?.progress.get('h')).toMatchObject({ state: 'synced', baseline: undefined })
})

it('gives the space back to the disk', async () => {
  for (let batch = 0; batch < 20; batch += 1) {
    await Promise.all(Array.from({ length: 50 }, (_, n) => store(`pa_${batch}_${n}`, 8_000)))
    for (let n = 0; n < 50; n += 1) await work(`pa_${batch}_${n}`)
  }
  await passAMonth()
  await retain()
  await ledger.close()
  expect((await stat(path)).size).toBeLessThan(3_000_000)
  ledger = createLedger({ storage: await openSqlite(path, { now: () => now }), seal: createSeal([]) })
})

it('comes again every hour, and not once it is closed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    let rounds = 0
    const purge = () => {
      rounds++
      return Promise.resolve({ deleted: 0, cursor: undefined })
    }
    const retention = startRetention({ ledger: { purge }, keepMs: 1, log: captureLog().log })
    for (let expected = 1; expected <= 3; expected++) {
      await until('the end of a round', () => vi.getTimerCount() === 1)
      expect(rounds).toBe(expected)
      vi.advanceTimersByTime(3_600_000)
    }
    await retention.close()
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

it('is at work in a gateway, which deletes what is older than RETENTION_DAYS', async () => {
  const handler = defineHandler({ name: 'h', on: ['prior_authorization.status_change'], handle: async () => {} })
  const service = createScriptedApi()
  const data = { id: 'done', status: 'cancelled' }
  service.set(data)
  const start = (aheadMs: number) =>
    startTestGateway(
      { api: service.api, handlers: [handler], clock: { now: () => Date.now() + aheadMs } },
      { DATABASE_URL: `file:${join(folder, 'gateway.db')}`, RETENTION_DAYS: '2' },
    )
  const before = await start(0)
  await deliver(before.url, envelope(data))
  await until('it is in step and given back', async () => {
    const resource = await before.ledger.resource('done')
    return resource?.progress[0]?.state === 'synced' && resource.dueAt === undefined
  })
  await before.destroy()
  const after = await start(3 * dayMs)
  await until('its event is deleted', async () => (await after.ledger.resource('done'))?.events === 0)
  await after.destroy()
})
