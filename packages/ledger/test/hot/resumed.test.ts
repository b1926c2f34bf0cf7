import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLedger } from '../../src/create-ledger.ts'
import type { Ledger } from '../../src/ledger.ts'
import { openPostgres } from '../../src/postgres/open-postgres.ts'
import { createSeal } from '../../src/sealing/seal.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import type { Storage } from '../../src/storage.ts'
import { act } from '../../../../test/support/act.ts'
import { describeOnPostgres } from '../../../../test/support/postgres.ts'
import type { Claim } from '../../src/hot/claim.ts'
import type { Failure, Note } from '../../src/hot/notes.ts'
import { describeOnSqlite } from '../on-each-storage.ts'
import { aDelivery } from '../a-delivery.ts'
import { atTime } from '../at-time.ts'

const clock = { now: () => now }
let now: number
const laterMs = 600_000
const began = 10 * 86_400_000
const chart = { kind: 'handler', name: 'chart' } as const
const ehr = { kind: 'system', name: 'ehr' } as const

/** A resource that is given back while its pause ends. `open` opens the same ledger anew, as another process does. */
function describeMeetings(prepare: () => Promise<{ open: () => Promise<Storage> }>) {
  let storage: Storage
  let ledger: Ledger
  let other: Ledger

  beforeEach(async () => {
    now = began
    const { open } = await prepare()
    storage = { ...atTime(await open(), () => now), elapsed: () => now }
    ledger = createLedger({ storage, seal: createSeal([]) })
    const its = { ...atTime(await open(), () => now), elapsed: () => now }
    other = createLedger({ storage: its, seal: createSeal([]) })
  })
  afterEach(() => Promise.all([ledger.close(), other.close()]))

  async function claimed(id: string): Promise<Claim> {
    const claim = await ledger.claim(id, 60_000, { prior_authorization: ['chart', 'desk'] })
    if (claim === undefined) throw new Error(`${id} could not be claimed`)
    return claim
  }

  const accepted = (id: string) => ledger.accept(aDelivery({ resourceId: id, body: { id, now } }))
  async function arrived(id: string): Promise<Claim> {
    await accepted(id)
    return claimed(id)
  }

  function waits(claim: Claim, { handler = 'chart', code = 'handler_paused', ...more }: Waits = {}): Note {
    const eventId = claim.newestEventId
    const times = { startedAt: now, finishedAt: now, firstEventId: eventId, lastEventId: eventId }
    const error = { code, message: 'It waits.', system: more.system }
    return { of: 'failure', run: { handler, ...times, writes: [], error, attempts: 3, delayMs: laterMs } }
  }
  const giveBack = (claim: Claim, notes: readonly Note[]) =>
    ledger.release(claim, { notes, dueInMs: laterMs, restMs: 0 })
  const waiting = () => storage.db.selectFrom('work').selectAll().where('waits_since', 'is not', null).execute()

  /** That it is tried at once, with the attempts that it had. */
  async function expectDue(id: string, handler = 'chart') {
    expect(await ledger.due(1_000)).toContain(id)
    expect((await claimed(id)).progress.get(handler)).toMatchObject({ state: 'due', attempts: 3, dueInMs: 0 })
    expect(await waiting()).toEqual([])
  }

  it('records work that waits for a pause since its first event', async () => {
    await ledger.pause(chart, act)
    const claim = await arrived('pa_req_1')
    now += 5_000
    expect(await giveBack(claim, [waits(claim)])).toBe(laterMs)
    expect(await ledger.due(10)).toEqual([])
    expect(await waiting()).toMatchObject([{ error_code: 'handler_paused', waits_since: now - 5_000 }])
    now += laterMs
    const again = await claimed('pa_req_1')
    await giveBack(again, [waits(again)])
    expect(await waiting()).toMatchObject([{ waits_since: now - laterMs - 5_000 }])
  })

  it.each([
    { target: chart, more: {} },
    { target: ehr, more: { code: 'system_paused', system: 'ehr' } },
  ])('makes work due that is released after the $target.kind is resumed', async ({ target, more }) => {
    await ledger.pause(target, act)
    const claim = await arrived('pa_req_1')
    expect(await other.resume(target, act)).toEqual([])
    expect(await giveBack(claim, [waits(claim, more)])).toBe(0)
    await expectDue('pa_req_1')
  })

  it('makes work due that was recorded before its resume and released after it', async () => {
    await ledger.pause(chart, act)
    const claim = await arrived('pa_req_1')
    await ledger.record(claim, [waits(claim)])
    expect(await other.resume(chart, act)).toEqual(['pa_req_1'])
    expect(await giveBack(claim, [])).toBe(0)
    await expectDue('pa_req_1')
  })

  it('makes work due that is recorded and released after its resume', async () => {
    await ledger.pause(chart, act)
    const claim = await arrived('pa_req_1')
    await other.resume(chart, act)
    await ledger.record(claim, [waits(claim)])
    expect(await giveBack(claim, [])).toBe(0)
    await expectDue('pa_req_1')
  })

  it('leaves work alone that waits for another pause', async () => {
    for (const target of [chart, ehr]) await ledger.pause(target, act)
    const claim = await arrived('pa_req_1')
    await other.resume(chart, act)
    await giveBack(claim, [waits(claim), waits(claim, { handler: 'desk', code: 'system_paused', system: 'ehr' })])
    const { progress } = await claimed('pa_req_1')
    expect([progress.get('chart')?.dueInMs, progress.get('desk')?.dueInMs]).toEqual([0, laterMs])
  })

  it('counts paused work as waiting since its first event, never as failing', async () => {
    await ledger.pause(chart, act)
    for (const [id, more] of [
      ['pa_req_1', {}],
      ['pa_req_2', { handler: 'desk', code: 'system_down', system: 'fax' }],
    ] as const) {
      const claim = await arrived(id)
      await giveBack(claim, [waits(claim, more)])
    }
    // Each time that it is looked at again it is due for a moment.
    for (let round = 0; round < 3; round += 1) {
      now += laterMs + 30_000
      expect(await ledger.counts()).toMatchObject({ due: 2, waiting: 2, oldestDueMs: 0, oldestWaitingMs: now - began })
      for (const id of ['pa_req_1', 'pa_req_2']) {
        const claim = await claimed(id)
        expect(await ledger.counts()).toMatchObject({ waiting: 2, oldestDueMs: 0, oldestWaitingMs: now - began })
        const more = id === 'pa_req_1' ? {} : { handler: 'desk', code: 'system_down', system: 'fax' }
        await giveBack(claim, [waits(claim, more)])
      }
    }
    expect(await ledger.longestFailing(['chart', 'desk'])).toEqual([])
    expect((await ledger.listResources({ state: 'failing' }, 10)).rows).toEqual([])
    expect((await ledger.listResources({ state: 'waiting' }, 10)).rows).toMatchObject([
      { id: 'pa_req_1', failing: 0, waiting: 1, parked: 0 },
      { id: 'pa_req_2', failing: 0, waiting: 1, parked: 0 },
    ])
    // No worker looks any more.
    now += laterMs * 2
    expect(await ledger.counts()).toMatchObject({ waiting: 2, oldestDueMs: laterMs })
  })

  it('counts due resources as waiting while all work is paused', async () => {
    for (const id of ['pa_req_1', 'pa_req_2']) await giveBack(await arrived(id), [])
    await ledger.pause({ kind: 'all', name: '' }, act)
    now += 1_000
    for (let n = 0; n < 3; n += 1) {
      for (const id of ['pa_req_1', 'pa_req_2']) await accepted(id)
      now += 20_000
    }
    expect(await ledger.counts()).toMatchObject({ waiting: 2, oldestWaitingMs: 61_000, oldestDueMs: 0 })
    await ledger.resume({ kind: 'all', name: '' }, act)
    expect(await ledger.counts()).toMatchObject({ waiting: 0, oldestWaitingMs: 0, oldestDueMs: 60_000 })
  })

  it('ages due work from its first unsettled event while all work is paused, not from its next retry', async () => {
    const settled = await arrived('pa_req_1')
    const { newestEventId: eventId } = settled
    const times = { startedAt: now, finishedAt: now, firstEventId: eventId, lastEventId: eventId }
    const success: Note = { of: 'success', run: { handler: 'chart', ...times, writes: [] } }
    const snapshot: Note = { of: 'snapshot', text: '{}', eventId, terminal: false, pollInMs: undefined }
    await ledger.release(settled, { notes: [snapshot, success], dueInMs: undefined, restMs: 0 })
    now += 100_000
    const failed = await arrived('pa_req_2')
    await giveBack(failed, [waits(failed, { code: 'chart_locked' })])
    now += 1_000
    await ledger.pause({ kind: 'all', name: '' }, act)
    now += laterMs - 1_000
    await accepted('pa_req_1')
    expect(await ledger.counts()).toMatchObject({ waiting: 2, oldestWaitingMs: laterMs, oldestDueMs: 0 })
  })

  it('makes paused work due whose resume was interrupted', async () => {
    for (const target of [chart, ehr]) await ledger.pause(target, act)
    for (const id of ['pa_req_1', 'pa_req_2']) {
      const claim = await arrived(id)
      const system = { code: 'system_paused', system: 'ehr' }
      await giveBack(claim, [id === 'pa_req_1' ? waits(claim) : waits(claim, system)])
    }
    // The first commit of `resume`, and no other.
    await storage.db.deleteFrom('pauses').where('name', '=', 'chart').execute()
    expect(await other.finishResumes(act)).toEqual(['pa_req_1'])
    expect(await ledger.due(10)).toEqual(['pa_req_1'])
    expect(await other.finishResumes(act)).toEqual([])
  })

  it('leaves no work waiting after many releases amid pauses and resumes', async () => {
    const ids = Array.from({ length: 40 }, (_, n) => `pa_req_${n}`)
    for (let round = 0; round < 15; round += 1) {
      now += laterMs * 2
      await ledger.pause(chart, act)
      const claims = await Promise.all(ids.map((id) => arrived(id)))
      const resumes = claims.map((claim, index) =>
        index === round * 2 ? other.resume(chart, act) : giveBack(claim, [waits(claim)]),
      )
      await Promise.all(resumes)
      const last = claims[round * 2]
      if (last !== undefined) await giveBack(last, [waits(last)])
      expect(await waiting()).toEqual([])
      expect((await ledger.due(100)).toSorted()).toEqual(ids.toSorted())
    }
  })
}

type Waits = Partial<Pick<Failure, 'handler'> & { code: string; system: string }>

describeOnSqlite('a ledger', (newPath) => {
  describeMeetings(async () => {
    const path = newPath()
    return { open: () => openSqlite(path, clock) }
  })
})

describeOnPostgres('a ledger on PostgreSQL', (createLedgerDatabase) => {
  describeMeetings(async () => {
    const url = await createLedgerDatabase()
    return { open: () => openPostgres(url, () => {}) }
  })
})
