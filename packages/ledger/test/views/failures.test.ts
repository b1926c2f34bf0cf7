import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLedger } from '../../src/create-ledger.ts'
import type { Ledger } from '../../src/ledger.ts'
import { createSeal } from '../../src/sealing/seal.ts'
import type { Storage } from '../../src/storage.ts'
import { describeOnEachStorage } from '../on-each-storage.ts'
import { aDelivery } from '../a-delivery.ts'
import { atTime } from '../at-time.ts'

let now: number

interface Failed {
  handler?: string
  code?: string
  system?: string
  delayMs?: number
}

/** Failed work by groups, and the lists of the console, on any kind of storage. */
function describeFailures(open: () => Promise<Storage>) {
  let ledger: Ledger

  beforeEach(async () => {
    now = 1_000_000
    const storage = atTime(await open(), () => now)
    ledger = createLedger({ storage, seal: createSeal([]) })
  })
  afterEach(() => ledger.close())

  async function hear(resourceId: string, source: 'webhook' | 'poll' = 'webhook', text = `${resourceId} ${now}`) {
    now += 1
    const common = { kind: 'prior_authorization', eventType: 'prior_authorization.status_change' } as const
    await ledger.accept(aDelivery({ ...common, resourceId, body: text, source }))
  }

  async function fail(resourceId: string, { handler = 'chart', code = 'chart_locked', system, delayMs }: Failed = {}) {
    await hear(resourceId)
    const claim = await ledger.claim(resourceId, 1_000, { prior_authorization: [handler] })
    if (claim === undefined) throw new Error(`${resourceId} could not be claimed`)
    const [firstEventId, lastEventId] = [claim.newestEventId, claim.newestEventId]
    const run = { handler, startedAt: now, finishedAt: now, firstEventId, lastEventId, writes: [] }
    const error = { code, message: `${code} at ${now}`, system }
    const failure = { of: 'failure' as const, run: { ...run, error, attempts: 1, delayMs } }
    await ledger.release(claim, { notes: [failure], dueInMs: delayMs, restMs: 0 })
  }

  const parked = { state: 'parked', handler: 'chart', system: 'ehr', errorCode: 'chart_locked' } as const

  it('groups failed work by state, handler, system and code, each with count and newest failure', async () => {
    await fail('pa_1', { system: 'ehr' })
    await fail('pa_2', { system: 'ehr' })
    await fail('pa_3', { code: 'timeout' })
    await fail('pa_4', { handler: 'desk', system: 'desk', delayMs: 60_000 })
    const groups = await ledger.workGroups()
    expect(
      groups.map(({ state, handler, system, errorCode, count }) => [state, handler, system, errorCode, count]),
    ).toEqual([
      ['parked', 'chart', '', 'timeout', 1],
      ['parked', 'chart', 'ehr', 'chart_locked', 2],
      ['failing', 'desk', 'desk', 'chart_locked', 1],
    ])
    expect(groups[1]).toMatchObject({ oldestAt: 1_000_001, newestAt: 1_000_002, message: 'chart_locked at 1000002' })
  })

  it('dates a group by the first failure of its work, whatever was tried since, but not by a wait', async () => {
    await fail('pa_1')
    await fail('pa_2', { code: 'system_down', system: 'ehr', delayMs: 0 })
    now += 3_000
    await fail('pa_1')
    const secondAt = now + 1
    await fail('pa_2', { code: 'timeout' })
    expect((await ledger.workGroups()).map(({ errorCode, oldestAt }) => [errorCode, oldestAt])).toEqual([
      ['chart_locked', 1_000_001],
      ['timeout', secondAt],
    ])
  })

  it('counts the cases of a cause once, whatever handlers failed', async () => {
    for (const handler of ['chart', 'desk', 'fax']) {
      await fail('pa_1', { handler, code: 'not_found_yet' })
      await fail('pa_2', { handler, code: 'own' })
    }
    await fail('pa_3', { handler: 'desk', code: 'not_found_yet' })
    const groups = await ledger.workGroups()
    expect(groups.map(({ handler, errorCode, count, cases }) => [handler, errorCode, count, cases])).toEqual([
      ['chart', 'not_found_yet', 1, 1],
      ['chart', 'own', 1, 1],
      ['desk', 'not_found_yet', 2, 1],
      ['desk', 'own', 1, 1],
      ['fax', 'not_found_yet', 1, 0],
      ['fax', 'own', 1, 1],
    ])
  })

  it('pages through a group, oldest failure first', async () => {
    for (const id of ['pa_3', 'pa_1', 'pa_2']) await fail(id, { system: 'ehr' })
    const first = await ledger.work(parked, 2)
    expect(first.rows.map(({ resourceId }) => resourceId)).toEqual(['pa_3', 'pa_1'])
    const rest = await ledger.work(parked, 2, first.next)
    expect(rest.next).toBeUndefined()
    expect(rest.rows.map(({ resourceId, attempts, dueAt }) => ({ resourceId, attempts, dueAt }))).toEqual([
      { resourceId: 'pa_2', attempts: 1, dueAt: undefined },
    ])
  })

  it('leaves out work that failed after the given failure', async () => {
    await fail('pa_1', { system: 'ehr' })
    const failedUpTo = (await ledger.workGroups())[0]?.newest
    await fail('pa_2', { system: 'ehr' })
    const { rows } = await ledger.work({ ...parked, failedUpTo }, 10)
    expect(rows.map(({ resourceId }) => resourceId)).toEqual(['pa_1'])
  })

  it('lists events backwards, also of one resource and from one source', async () => {
    for (const id of ['pa_1', 'pa_2', 'pa_1']) await hear(id)
    await hear('pa_1', 'poll')
    const { rows, next } = await ledger.listEvents({}, 3)
    expect(rows.map(({ resourceId, source }) => `${resourceId} ${source}`)).toEqual([
      'pa_1 poll',
      'pa_1 webhook',
      'pa_2 webhook',
    ])
    const rest = await ledger.listEvents({ before: next }, 3)
    expect({ ids: rest.rows.map(({ resourceId }) => resourceId), next: rest.next }).toEqual({
      ids: ['pa_1'],
      next: undefined,
    })
    expect((await ledger.listEvents({ resourceId: 'pa_1' }, 10)).rows).toHaveLength(3)
    expect(
      (await ledger.listEvents({ source: 'poll', type: 'prior_authorization.status_change' }, 10)).rows,
    ).toHaveLength(1)
  })

  it('says of each listed event what became of it, the worst of its handlers', async () => {
    const statesOf = async () =>
      Object.fromEntries((await ledger.listEvents({}, 20)).rows.map(({ id, state }) => [id, state]))
    await hear('pa_1')
    const [first] = (await ledger.listEvents({}, 1)).rows
    const handled = first?.id ?? 0
    const claim = await ledger.claim('pa_1', 1_000, { prior_authorization: ['chart'] })
    if (claim === undefined) throw new Error('pa_1 could not be claimed')
    expect(await statesOf()).toEqual({ [handled]: 'due' })
    const run = { handler: 'chart', startedAt: now, finishedAt: now, firstEventId: handled, lastEventId: handled }
    await ledger.release(claim, {
      notes: [{ of: 'success', run: { ...run, writes: [] } }],
      dueInMs: undefined,
      restMs: 0,
    })
    expect(await statesOf()).toEqual({ [handled]: 'synced' })
    // The event that was handled stays so.
    await fail('pa_1', { system: 'ehr' })
    expect(await statesOf()).toEqual({ [handled]: 'synced', [handled + 1]: 'parked' })
    await fail('pa_2', { handler: 'desk', delayMs: 60_000 })
    await fail('pa_3', { code: 'system_down', delayMs: 60_000 })
    await ledger.accept(aDelivery({ kind: undefined, eventType: 'unheard.of', resourceId: 'x_1', body: 'x' }))
    const states = ['synced', 'parked', 'failing', 'waiting', 'unhandled'] as const
    expect(Object.values(await statesOf())).toEqual(states)
    for (const state of states) expect((await ledger.listEvents({ state }, 20)).rows).toMatchObject([{ state }])
    expect(await ledger.listEvents({ state: 'due' }, 20)).toEqual({ rows: [], next: undefined })
  })

  it('pages past events that a filter excludes, a bounded number at a time', async () => {
    await hear('pa_1', 'poll')
    await Promise.all(Array.from({ length: 1_200 }, (_, n) => hear('pa_1', 'webhook', `${n}`)))
    const first = await ledger.listEvents({ source: 'poll' }, 10)
    expect(first.rows).toEqual([])
    const second = await ledger.listEvents({ source: 'poll', before: first.next }, 10)
    expect(second).toMatchObject({ rows: [{ source: 'poll' }], next: undefined })
  })

  it('lists events forwards after one, and backwards to a time', async () => {
    for (const id of ['pa_1', 'pa_2', 'pa_3']) await hear(id)
    const [, second] = (await ledger.listEvents({}, 3)).rows
    const after = await ledger.listEvents({ after: 0 }, 2)
    expect(after.rows.map(({ resourceId }) => resourceId)).toEqual(['pa_1', 'pa_2'])
    const rest = await ledger.listEvents({ after: after.next ?? 0 }, 2)
    expect({ ids: rest.rows.map(({ resourceId }) => resourceId), next: rest.next }).toEqual({
      ids: ['pa_3'],
      next: undefined,
    })
    const since = await ledger.listEvents({ since: (second?.receivedAt ?? 0) + 1 }, 10)
    expect(since.rows.every(({ receivedAt }) => receivedAt > (second?.receivedAt ?? 0))).toBe(true)
    expect(since.next).toBeUndefined()
  })

  it('lists resources with failing or parked work and its amount, oldest known first', async () => {
    for (const id of ['pa_3', 'pa_1', 'pa_2']) await fail(id, { system: 'ehr' })
    await hear('pa_4')
    const first = await ledger.listResources({ state: 'parked' }, 2)
    expect(first.rows).toMatchObject([
      { id: 'pa_3', failing: 0, parked: 1 },
      { id: 'pa_1', failing: 0, parked: 1 },
    ])
    const rest = await ledger.listResources({ state: 'parked', kind: 'prior_authorization' }, 2, first.next)
    expect({ ids: rest.rows.map(({ id }) => id), next: rest.next }).toEqual({ ids: ['pa_2'], next: undefined })
    expect((await ledger.listResources({ state: 'failing' }, 2)).rows).toEqual([])
    expect((await ledger.listResources({ state: 'due' }, 2)).rows).toMatchObject([{ id: 'pa_4' }])
  })

  it('pages through resources, newest known first', async () => {
    for (const id of ['pa_1', 'pa_2', 'pa_3']) await hear(id)
    const first = await ledger.listResources({}, 2)
    expect(first.rows.map(({ id }) => id)).toEqual(['pa_3', 'pa_2'])
    const rest = await ledger.listResources({ kind: 'prior_authorization' }, 2, first.next)
    expect({ ids: rest.rows.map(({ id }) => id), next: rest.next }).toEqual({ ids: ['pa_1'], next: undefined })
    expect((await ledger.listResources({ kind: 'benefit_verification' }, 2)).rows).toEqual([])
  })
}

describeOnEachStorage('a ledger', describeFailures, { now: () => now })
