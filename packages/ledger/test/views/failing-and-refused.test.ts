import { CompiledQuery } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLedger } from '../../src/create-ledger.ts'
import type { Ledger } from '../../src/ledger.ts'
import { selectOpenIds } from '../../src/views/lists.ts'
import { selectDueWork, selectGroupPage, selectLongestFailing } from '../../src/views/read-work.ts'
import { countByHandler } from '../../src/views/work-group.ts'
import { selectNextKey } from '../../src/views/work-groups.ts'
import { openPostgres } from '../../src/postgres/open-postgres.ts'
import { createSeal } from '../../src/sealing/seal.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import type { Storage } from '../../src/storage.ts'
import { act } from '../../../../test/support/act.ts'
import { describeOnPostgres } from '../../../../test/support/postgres.ts'
import { until } from '../../../../test/support/until.ts'
import { resourcesOf, type WorkFilter } from '../../src/hot/work-filter.ts'
import type { Failure } from '../../src/hot/notes.ts'
import { describeOnSqlite } from '../on-each-storage.ts'
import { aDelivery } from '../a-delivery.ts'
import { atTime } from '../at-time.ts'

const dayMs = 86_400_000
const clock = { now: () => now }
let now: number

/** Tests of failing work and refused deliveries, on any kind of storage. */
function describeTrouble(open: () => Promise<Storage>) {
  let storage: Storage
  let ledger: Ledger

  beforeEach(async () => {
    now = 10 * dayMs
    storage = atTime(await open(), () => now)
    ledger = createLedger({ storage, seal: createSeal([]) })
  })
  afterEach(() => ledger.close())

  async function note(
    resourceId: string,
    handler: string,
    failure: (Pick<Failure, 'attempts' | 'delayMs'> & { code?: string; system?: string }) | 'success',
  ) {
    const eventType = 'prior_authorization.status_change'
    const body = Buffer.from(JSON.stringify({ now }))
    await ledger.accept(aDelivery({ resourceId, eventType, body }))
    const claim = await ledger.claim(resourceId, 1_000, { prior_authorization: [handler] })
    if (claim === undefined) throw new Error(`${resourceId} could not be claimed`)
    const eventId = claim.newestEventId
    const run = { handler, startedAt: now, finishedAt: now, firstEventId: eventId, lastEventId: eventId, writes: [] }
    const code = failure === 'success' ? undefined : failure.code
    const system = failure === 'success' ? undefined : failure.system
    const error = { code: code ?? 'chart_locked', message: `try ${now}`, system }
    await ledger.release(claim, {
      notes: [failure === 'success' ? { of: 'success', run } : { of: 'failure', run: { ...run, error, ...failure } }],
      dueInMs: undefined,
      restMs: 0,
    })
  }

  const found = async (filter: WorkFilter) =>
    (await ledger.work(filter, 10)).rows.map(({ resourceId, handler }) => ({ resourceId, handler }))

  const retried = async (filter: WorkFilter) => resourcesOf((await ledger.retryWork(filter, act)).retried).toSorted()

  it('reports the failing work of each handler, and the age of its oldest failure', async () => {
    expect(await ledger.longestFailing(['chart', 'desk'])).toEqual([])
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
    expect(await ledger.longestFailing(['chart', 'desk'])).toEqual([
      { handler: 'chart', resourceId: 'pa_req_1', forMs: 2_000, attempts: 1, ...error },
    ])
  })

  it('reports parked and failed work of removed handlers, and leaves it parked', async () => {
    await note('pa_req_1', 'chart', { attempts: 15, delayMs: undefined })
    now += 1
    await note('pa_req_1', 'gone', { attempts: 15, delayMs: undefined })
    await note('pa_req_2', 'gone', { attempts: 1, delayMs: 60_000 })
    await note('pa_req_3', 'gone too', { attempts: 15, delayMs: undefined })
    await note('pa_req_4', 'gone', 'success')
    const without = async (...exceptHandlers: string[]) => countByHandler(await ledger.workGroups({ exceptHandlers }))
    const gone = [
      { handler: 'gone', count: 2 },
      { handler: 'gone too', count: 1 },
    ]
    expect(await without('chart', 'desk')).toEqual(gone)
    const filter = { resourceId: 'pa_req_1', exceptHandlers: ['chart'] }
    expect(countByHandler((await ledger.work(filter, 10)).rows)).toEqual([{ handler: 'gone', count: 1 }])
    expect(await without()).toHaveLength(3)
    expect(await retried({ handlerNames: [] })).toEqual([])
    expect(await retried({ handlerNames: ['chart', 'desk'] })).toEqual(['pa_req_1'])
    expect((await ledger.work({ state: 'parked' }, 10)).rows.map(({ handler }) => handler).toSorted()).toEqual([
      'gone',
      'gone too',
    ])
    expect(await without('chart', 'desk')).toEqual(gone)
    // A handler that is put back takes its work up again.
    expect(await retried({ handlerNames: ['gone'] })).toEqual(['pa_req_1', 'pa_req_2'])
  })

  it('retries parked and failed work by resource, handler, error, or all at once', async () => {
    await note('pa_req_1', 'chart', { attempts: 15, delayMs: undefined })
    await note('pa_req_2', 'chart', { attempts: 3, delayMs: 3_600_000 })
    await note('pa_req_3', 'desk', { attempts: 3, delayMs: 3_600_000 })
    await note('pa_req_4', 'desk', 'success')
    expect(await retried({ resourceId: 'pa_req_1', handler: 'desk' })).toEqual([])
    expect(await retried({ errorCode: 'another' })).toEqual([])
    expect(await ledger.due(10)).toEqual([])
    expect(await retried({ handler: 'desk' })).toEqual(['pa_req_3'])
    expect(await ledger.due(10)).toEqual(['pa_req_3'])
    // What is due already, with all its attempts, is left out.
    expect(await retried({ errorCode: 'chart_locked', handlerNames: ['chart', 'desk'] })).toEqual([
      'pa_req_1',
      'pa_req_2',
    ])
    expect((await ledger.due(10)).toSorted()).toEqual(['pa_req_1', 'pa_req_2', 'pa_req_3'])
    const claim = await ledger.claim('pa_req_2', 1_000, { prior_authorization: ['chart'] })
    expect(claim?.progress.get('chart')).toMatchObject({ state: 'due', attempts: 0, dueInMs: 0 })
  })

  it('probes a system and its kinds of request, and wakes its waiting work unless paused', async () => {
    for (const system of ['ehr', 'ehr: PUT /Task', 'ehrs', 'pharmacy']) await ledger.noteOutage(system, dayMs)
    const waits = { attempts: 1, delayMs: dayMs, system: 'ehr' }
    await note('pa_req_1', 'chart', { ...waits, code: 'system_down' })
    await note('pa_req_2', 'chart', { ...waits, code: 'system_paused' })
    await note('pa_req_3', 'chart', { ...waits, attempts: 15, delayMs: undefined })
    await note('pa_req_4', 'chart', 'success')
    const before = await ledger.due(10)
    expect(await ledger.probe('pharmacy', act)).toEqual([])
    expect(await ledger.probe('ehr', act)).toEqual(['pa_req_1'])
    const asked = (await ledger.outages()).filter(({ askedAt }) => askedAt !== undefined).map(({ system }) => system)
    expect(asked.toSorted()).toEqual(['ehr', 'ehr: PUT /Task', 'pharmacy'])
    expect((await ledger.due(10)).filter((id) => !before.includes(id))).toEqual(['pa_req_1'])
  })

  it('lists parked and failed work by piece, without waiting work on request', async () => {
    await note('pa_req_1', 'chart', { attempts: 15, delayMs: undefined })
    now += 1
    await note('pa_req_1', 'desk', { attempts: 15, delayMs: undefined, code: 'no_desk' })
    await note('pa_req_2', 'chart', { attempts: 3, delayMs: 3_600_000, code: 'system_down', system: 'ehr' })
    await note('pa_req_3', 'chart', 'success')
    const [first, second, third] = [
      { resourceId: 'pa_req_1', handler: 'chart' },
      { resourceId: 'pa_req_1', handler: 'desk' },
      { resourceId: 'pa_req_2', handler: 'chart' },
    ]
    expect(await found({})).toEqual([first, second, third])
    expect(await found({ errorCode: 'no_desk' })).toEqual([second])
    expect(await found({ system: 'ehr' })).toEqual([third])
    expect(await found({ system: '' })).toEqual([first, second])
    expect(await found({ state: 'waiting' })).toEqual([third])
    expect(await found({ state: 'failing' })).toEqual([])
    expect(await found({ resourceId: 'pa_req_1', state: 'parked' })).toEqual([first, second])
    expect(await found({ handler: 'chart' })).toEqual([first, third])
    expect(await found({ exceptErrors: ['system_down'] })).toEqual([first, second])
  })

  it('discards many pieces of work in one commit, each recorded in the audit trail', async () => {
    for (const id of ['pa_req_1', 'pa_req_2', 'pa_req_3']) await note(id, 'chart', { attempts: 15, delayMs: undefined })
    await ledger.retryWork({ resourceId: 'pa_req_2' }, act)
    await ledger.claim('pa_req_2', 1_000, {})
    const work = await found({})
    const reason = 'The service does not know them'
    expect(await ledger.discard(work, { ...act, reason })).toEqual(['discarded', 'discarded', 'in_work'])
    expect(await found({})).toEqual([{ resourceId: 'pa_req_2', handler: 'chart' }])
    const trail = await ledger.readAudit({ action: 'work.discard' }, 10)
    expect(trail.map(({ resourceId, reason }) => [resourceId, reason])).toEqual([
      ['pa_req_1', reason],
      ['pa_req_3', reason],
    ])
  })

  it('retries at most the limit, reports the rest, and continues when repeated', async () => {
    for (let n = 1; n <= 3; n += 1) await note(`pa_req_${n}`, 'chart', { attempts: 15, delayMs: undefined })
    for (const handler of ['desk', 'fax']) {
      now += 1
      await note('pa_req_4', handler, { attempts: 15, delayMs: undefined, code: 'busy' })
    }
    const pieces = async (filter: WorkFilter, limit: number) => {
      const { retried, left } = await ledger.retryWork(filter, act, limit)
      return [retried.map(({ resourceId, handler }) => `${resourceId} ${handler}`), left]
    }
    expect(await ledger.countRetriable({})).toBe(5)
    expect(await pieces({}, 2)).toEqual([['pa_req_1 chart', 'pa_req_2 chart'], 3])
    // As after a kill: what was made due is not made due again.
    expect(await pieces({}, 2)).toEqual([['pa_req_3 chart', 'pa_req_4 desk'], 1])
    expect(await pieces({ resourceId: 'pa_req_4' }, 2)).toEqual([['pa_req_4 fax'], 0])
    expect(await pieces({}, 2)).toEqual([[], 0])
    const trail = await ledger.readAudit({ action: 'work.retry' }, 10)
    expect(trail.map(({ details }) => details.resources)).toEqual([
      ['pa_req_1', 'pa_req_2'],
      ['pa_req_3', 'pa_req_4'],
      ['pa_req_4'],
    ])
  })

  it('retries more pieces of work than one step holds', async () => {
    const ids = Array.from({ length: 501 }, (_, n) => `pa_req_${n}`)
    await Promise.all(ids.map((id) => note(id, 'chart', { attempts: 15, delayMs: undefined })))
    expect((await ledger.retryWork({}, act)).retried).toHaveLength(501)
    // Each step is written down with itself.
    const trail = await ledger.readAudit({ action: 'work.retry' }, 10)
    expect(trail.map(({ details }) => details.count)).toEqual([500, 1])
    expect(await ledger.due(1_000)).toHaveLength(501)
  }, 180_000)

  it('lists waiting work by due time, with its failures and their errors', async () => {
    await note('pa_req_1', 'chart', { attempts: 2, delayMs: 60_000 })
    await note('pa_req_2', 'desk', { attempts: 15, delayMs: undefined })
    const failed = { handler: 'chart', attempts: 2, errorCode: 'chart_locked', errorMessage: `try ${now}` }
    // It was given back without a time: what waits for its handler is due all the same.
    await ledger.retryWork({ resourceId: 'pa_req_1' }, act)
    await ledger.accept(aDelivery({ resourceId: 'pa_req_3' }))
    now += 5
    expect(await ledger.dueWork(undefined, 10)).toEqual([
      {
        resourceId: 'pa_req_1',
        kind: 'prior_authorization',
        dueInMs: -5,
        isClaimed: false,
        failed: { ...failed, attempts: 0 },
      },
      { resourceId: 'pa_req_3', kind: 'prior_authorization', dueInMs: -5, isClaimed: false, failed: undefined },
    ])
    for (const filter of [{ handler: 'chart' }, { errorCode: 'chart_locked' }, { resourceId: 'pa_req_1' }])
      expect(await found({ ...filter, state: 'failing' })).toEqual([{ resourceId: 'pa_req_1', handler: 'chart' }])
    expect(await found({ errorCode: 'another' })).toEqual([])
    expect(await ledger.dueWork(undefined, 1)).toHaveLength(1)
    expect((await ledger.dueWork('pa_req_3', 1)).map(({ resourceId }) => resourceId)).toEqual(['pa_req_3'])
  })

  it('keeps the first reason of a pause, and retries the waiting work on resume', async () => {
    const desk = { kind: 'handler', name: 'desk' } as const
    await ledger.pause(desk, { ...act, reason: 'the desk moves' })
    now += 1_000
    await ledger.pause(desk, { ...act, reason: 'again' })
    expect(await ledger.pauses()).toMatchObject([{ ...desk, forMs: 1_000, reason: 'the desk moves' }])
    await note('pa_req_1', 'desk', { attempts: 4, delayMs: 3_600_000, code: 'handler_paused' })
    await note('pa_req_2', 'desk', { attempts: 4, delayMs: 3_600_000 })
    await note('pa_req_3', 'desk', { attempts: 4, delayMs: 3_600_000, code: 'system_down', system: 'fax' })
    expect(await ledger.resume(desk, act)).toEqual(['pa_req_1'])
    expect(await found({ state: 'waiting' })).toEqual([{ resourceId: 'pa_req_3', handler: 'desk' }])
    const resumed = await ledger.claim('pa_req_1', 1_000, { prior_authorization: ['desk'] })
    expect(resumed?.progress.get('desk')).toMatchObject({ state: 'due', attempts: 4, dueInMs: 0 })
    expect(await ledger.resume(desk, act)).toEqual([])
    expect(await ledger.pauses()).toEqual([])
    const trail = await ledger.readAudit({}, 10)
    const resume = { action: 'work.resume', handler: 'desk', reason: undefined, paused: 'handler' }
    expect(trail.map(({ action, handler, reason, details }) => ({ action, handler, reason, ...details }))).toEqual([
      { action: 'work.pause', handler: 'desk', reason: 'the desk moves', paused: 'handler' },
      resume,
      { ...resume, count: 1, resources: ['pa_req_1'] },
    ])
  })

  it('counts recently refused deliveries by reason, most frequent first', async () => {
    for (const reason of ['not_json', 'token_invalid', 'token_invalid']) ledger.reject({ reason, bytes: 1 })
    const noted = async () => (await ledger.refused(dayMs)).length > 0
    await until('noted', noted)
    expect(await ledger.refused(dayMs)).toEqual([
      { reason: 'token_invalid', count: 2, firstAt: now, lastAt: now },
      { reason: 'not_json', count: 1, firstAt: now, lastAt: now },
    ])
    now += dayMs
    expect(await ledger.refused(dayMs)).toEqual([])
  })

  return () => storage
}

describeOnSqlite('a ledger', (newPath) => {
  const opened = describeTrouble(() => openSqlite(newPath(), clock))

  it('finds failing work by an index, however much other work exists', async () => {
    const { db } = opened()
    const oldest = selectLongestFailing(db, 'chart').compile()
    const explain = CompiledQuery.raw(`explain query plan ${oldest.sql}`, [...oldest.parameters])
    // As SQLite answers it.
    const { rows } = (await db.executeQuery(explain)) as { rows: { detail: string }[] }
    expect(rows.map(({ detail }) => detail)).toEqual([
      'SEARCH work USING INDEX work_failed (handler=?)',
      'SEARCH resources USING INTEGER PRIMARY KEY (rowid=?)',
    ])
  })

  it('finds due and retried work by indexes', async () => {
    const { db } = opened()
    const plan = async (query: { compile(): CompiledQuery }) => {
      const { sql, parameters } = query.compile()
      // As SQLite answers it.
      const { rows } = (await db.executeQuery(CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]))) as {
        rows: { detail: string }[]
      }
      return rows.map(({ detail }) => detail).join('; ')
    }
    expect(await plan(selectDueWork(db, undefined, 10))).toContain('resources USING INDEX resources_due')
    const key = { state: 'failing', handler: 'chart', system: 'ehr', errorCode: 'e' } as const
    for (const filter of [{}, { failedUpTo: 9 }, { retriableAt: 9 }])
      expect(await plan(selectGroupPage(db, key, filter, 10, undefined).select('attempts'))).toContain(
        'INDEX work_failures (state=? AND handler=? AND error_system=? AND error_code=?',
      )
    expect(await plan(selectOpenIds(db, 'parked', 10, { firstEventAt: 0, id: 'pa_req_1' }))).toContain(
      'SEARCH work USING PRIMARY KEY (resource>?)',
    )
    expect(await plan(selectNextKey(db, 'due', { after: key }))).toContain('(state=? AND (handler,error_system')
    expect(await plan(selectNextKey(db, 'due', { handler: 'chart', after: key }))).toContain(
      '(state=? AND handler=? AND (error_system,error_code)>',
    )
  })
})

describeOnPostgres('a ledger on PostgreSQL', (createLedgerDatabase) => {
  describeTrouble(async () => openPostgres(await createLedgerDatabase(), () => {}))
})
