import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompiledQuery } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createLedger } from '../../src/ledger/create-ledger.ts'
import { selectFailing } from '../../src/ledger/failing.ts'
import type { Failure, Ledger } from '../../src/ledger/ledger.ts'
import { openPostgres } from '../../src/ledger/postgres/open-postgres.ts'
import { createSeal } from '../../src/ledger/seal.ts'
import { openSqlite } from '../../src/ledger/sqlite/open-sqlite.ts'
import type { Storage } from '../../src/ledger/storage.ts'
import { act } from '../support/act.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const dayMs = 86_400_000
const clock = { now: () => now }
let now: number

/** What a ledger tells of its trouble, on any kind of storage. */
function describeTrouble(open: () => Promise<Storage>) {
  let storage: Storage
  let ledger: Ledger

  beforeEach(async () => {
    now = 10 * dayMs
    storage = { ...(await open()), now: () => Promise.resolve(now) }
    ledger = createLedger({ storage, seal: createSeal([]) })
  })
  afterEach(() => ledger.close())

  async function note(resourceId: string, handler: string, failure: Pick<Failure, 'attempts' | 'delayMs'> | 'success') {
    const eventType = 'prior_authorization.status_change'
    const body = Buffer.from(JSON.stringify({ now }))
    await ledger.accept({
      resourceId,
      kind: 'prior_authorization',
      eventType,
      eventKey: undefined,
      body,
      source: 'webhook',
    })
    const claim = await ledger.claim(resourceId, 1_000, { prior_authorization: [handler] })
    if (claim === undefined) throw new Error(`${resourceId} could not be claimed`)
    const eventId = claim.newestEventId
    const run = { handler, startedAt: now, finishedAt: now, firstEventId: eventId, lastEventId: eventId, writes: [] }
    const error = { code: 'chart_locked', message: `try ${now}` }
    await ledger.release(claim, {
      notes: [failure === 'success' ? { of: 'success', run } : { of: 'failure', run: { ...run, error, ...failure } }],
      dueInMs: undefined,
      restMs: 0,
    })
  }

  it('tells what each handler failed at and will try again, and for how long the oldest of it has failed', async () => {
    expect(await ledger.failing(['chart', 'desk'])).toEqual([])
    await note('pa_req_1', 'chart', { attempts: 1, delayMs: 60_000 })
    now += 1_000
    await note('pa_req_1', 'chart', 'success')
    now += 1_000
    await note('pa_req_1', 'chart', { attempts: 1, delayMs: 60_000 })
    now += 1_000
    await note('pa_req_2', 'chart', { attempts: 1, delayMs: 60_000 })
    await note('pa_req_3', 'desk', { attempts: 15, delayMs: undefined })
    await note('pa_req_4', 'gone', { attempts: 1, delayMs: 60_000 })
    now += 1_000
    const error = { errorCode: 'chart_locked', errorMessage: `try ${10 * dayMs + 2_000}` }
    expect(await ledger.failing(['chart', 'desk'])).toEqual([
      { handler: 'chart', count: 2, oldest: { resourceId: 'pa_req_1', forMs: 2_000, attempts: 1, ...error } },
    ])
  })

  it('tells of parked and failed work whose handler there is no more, and leaves it parked', async () => {
    await note('pa_req_1', 'chart', { attempts: 15, delayMs: undefined })
    now += 1
    await note('pa_req_1', 'gone', { attempts: 15, delayMs: undefined })
    await note('pa_req_2', 'gone', { attempts: 1, delayMs: 60_000 })
    await note('pa_req_3', 'gone too', { attempts: 15, delayMs: undefined })
    await note('pa_req_4', 'gone', 'success')
    const gone = [
      { handler: 'gone', count: 2 },
      { handler: 'gone too', count: 1 },
    ]
    expect(await ledger.withoutHandler(['chart', 'desk'])).toEqual(gone)
    expect(await ledger.withoutHandler(['chart'], 'pa_req_1')).toEqual([{ handler: 'gone', count: 1 }])
    expect(await ledger.withoutHandler([])).toHaveLength(3)
    expect(await ledger.retryParked({ handlerNames: [] }, act)).toEqual([])
    expect(await ledger.retryParked({ handlerNames: ['chart', 'desk'] }, act)).toEqual(['pa_req_1'])
    expect((await ledger.parked(10)).map(({ handler }) => handler).toSorted()).toEqual(['gone', 'gone too'])
    expect(await ledger.withoutHandler(['chart', 'desk'])).toEqual(gone)
    // A handler that is put back takes its work up again.
    expect(await ledger.retryParked({ handlerNames: ['gone'] }, act)).toEqual(['pa_req_1'])
  })

  it('counts refused deliveries of a time by reason, the most frequent first', async () => {
    for (const reason of ['not_json', 'token_invalid', 'token_invalid']) ledger.reject({ reason, bytes: 1 })
    const noted = async () => (await ledger.refused(dayMs)).length > 0
    await until('noted', noted)
    expect(await ledger.refused(dayMs)).toEqual([
      { reason: 'token_invalid', count: 2 },
      { reason: 'not_json', count: 1 },
    ])
    now += dayMs
    expect(await ledger.refused(dayMs)).toEqual([])
  })

  return () => storage
}

describe('a ledger on SQLite', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pawl-ledger-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  const opened = describeTrouble(() => openSqlite(join(folder, 'pawl.db'), clock))

  it('finds failing work by an index, however much there is beside it', async () => {
    const { db } = opened()
    const oldest = selectFailing(db, 'chart').select('resource_id').orderBy('tried_event_id').limit(1).compile()
    const explain = CompiledQuery.raw(`explain query plan ${oldest.sql}`, [...oldest.parameters])
    // As SQLite answers it.
    const { rows } = (await db.executeQuery(explain)) as { rows: { detail: string }[] }
    expect(rows.map(({ detail }) => detail)).toEqual(['SEARCH progress USING INDEX progress_failing (handler=?)'])
  })
})

describeWithPostgres('a ledger on PostgreSQL', () => {
  let postgres: TestPostgres
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.close())

  describeTrouble(async () => openPostgres(await postgres.createDatabase(), () => {}))
})
