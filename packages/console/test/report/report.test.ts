import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLedger } from '../../../ledger/src/create-ledger.ts'
import type { Ledger } from '../../../ledger/src/ledger.ts'
import { createSeal } from '../../../ledger/src/sealing/seal.ts'
import type { Storage } from '../../../ledger/src/storage.ts'
import { readReport } from '../../src/report/read-report.ts'
import type { ResourceKind } from '../../../client/src/schemas/kinds.ts'
import { act } from '../../../../test/support/act.ts'
import { approved, denied, hourMs, type Journey, live, notSubmitted, of } from './journeys.ts'
import { describeOnEachStorage } from '../../../ledger/test/on-each-storage.ts'
import { atTime } from '../../../ledger/test/at-time.ts'

const start = Date.UTC(2026, 0, 5, 8)
const january = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 1, 1) }
const [created, processing, withPayer] = [
  { status: 'created' },
  { status: 'processing' },
  { status: 'awaiting_outcome' },
]

/** With the payer two hours after the request, and out so many hours after it. */
const decided = (hours: number, outcome: Journey[number][1]): Journey => [
  [0, created],
  [2, withPayer],
  [hours, outcome],
]

/** The figures of a set of journeys, on any kind of storage. */
function describeReport(open: () => Promise<Storage>) {
  let storage: Storage
  let ledger: Ledger
  let now: number

  beforeEach(async () => {
    now = start
    storage = atTime(await open(), () => now)
    ledger = createLedger({ storage, seal: createSeal([randomBytes(32)]) })
  })
  afterEach(() => ledger.close())

  const play = (id: string, journey: Journey, kind?: ResourceKind) =>
    live({ ledger, start, setNow: (at) => (now = at) }, id, journey, kind)
  const read = async (period = january) => {
    await ledger.catchUp()
    return (await readReport(ledger, period)).figures
  }
  /** Lets retention do its work so many days after the start. */
  async function passDays(days: number): Promise<void> {
    const dayMs = 24 * hourMs
    now = start + days * dayMs
    await ledger.followClock(1_000)
    const keep = { keepMs: 30 * dayMs, parkedKeepMs: 365 * dayMs, reportKeepMs: 400 * dayMs }
    for (let cursor: number | undefined = 0; cursor !== undefined;) cursor = (await ledger.purge(keep, cursor)).cursor
  }

  it('tells how many were submitted and how they came out, with reasons', async () => {
    await play('pa_req_1', decided(26, approved))
    await play('pa_req_2', decided(50, denied('plan_exclusion')))
    await play('pa_req_3', decided(98, denied('step_therapy_criteria_not_met')))
    await play('pa_req_4', decided(240, denied('plan_exclusion')))
    await play('pa_req_5', [
      [0, created],
      [1, notSubmitted('more_information_required')],
    ])
    await play('pa_req_6', [
      [0, created],
      [1, notSubmitted('payer_not_supported')],
    ])
    await play('pa_req_7', [
      [0, created],
      [1, { status: 'cancelled' }],
    ])
    await play('pa_req_8', [
      [0, created],
      [1, { status: 'failed' }],
    ])
    const notNeeded = { status: 'completed', outcome: { result: 'Approved', detail_code: 'prior_auth_not_required' } }
    await play('pa_req_9', [
      [0, created],
      [1, notNeeded],
    ])
    await play('pa_req_10', [
      [0, created],
      [2, withPayer],
    ])
    expect(await read()).toMatchObject({
      resources: 10,
      requested: 10,
      submitted: 5,
      ended: { approved: 1, denied: 3, notRequired: 1, notSubmitted: 2, other: 0, failed: 1, cancelled: 1 },
      approvedShare: 0.25,
      deniedByReason: { plan_exclusion: 2, step_therapy_criteria_not_met: 1 },
      notSubmittedByReason: { more_information_required: 1, payer_not_supported: 1 },
    })
  })

  it('tells how long decisions took from submission and from the request, and which kept 72 hours and 7 days', async () => {
    // 24, 48, 96 and 238 hours with the payer, 2 hours before.
    for (const [index, hours] of [26, 50, 98, 240].entries()) await play(`pa_req_${index}`, decided(hours, approved))
    const { turnaroundFromSubmission, turnaroundFromRequest } = await read()
    expect(turnaroundFromSubmission).toEqual({
      count: 4,
      medianMs: 72 * hourMs,
      p90Ms: Math.round((96 + 0.7 * (238 - 96)) * hourMs),
      meanMs: 101.5 * hourMs,
      within72Hours: 0.5,
      within7Days: 0.75,
    })
    expect(turnaroundFromRequest).toMatchObject({ count: 4, medianMs: 74 * hourMs, meanMs: 103.5 * hourMs })
  })

  it('tells urgent and standard requests apart, with the share that kept 24 and 72 hours', async () => {
    const urgent = (hours: number, priority: number): Journey => [
      [0, { ...created, priority }],
      [2, withPayer],
      [hours, approved],
    ]
    // 20 and 30 hours with the payer; the standard ones 60, 90 and 20 hours.
    await play('pa_req_1', urgent(22, 0))
    await play('pa_req_2', urgent(32, 1))
    await play('pa_req_3', decided(62, approved))
    await play('pa_req_4', [
      [0, { ...created, priority: 2 }],
      [2, withPayer],
      [92, denied('plan_exclusion')],
    ])
    await play('pa_req_5', [
      [0, { ...created, priority: 3 }],
      [2, withPayer],
      [22, approved],
    ])
    const { urgent: fast, standard } = await read()
    expect(fast).toMatchObject({
      approved: 2,
      denied: 0,
      approvedShare: 1,
      count: 2,
      meanMs: 25 * hourMs,
      withinClock: 0.5,
    })
    expect(standard).toMatchObject({ approved: 2, denied: 1, count: 3, medianMs: 60 * hourMs, withinClock: 2 / 3 })
  })

  it('measures no turnaround where it did not see the beginning, and counts the outcome all the same', async () => {
    await play('pa_req_late', [[5, denied('plan_exclusion')]])
    await play('pa_req_midway', [
      [5, withPayer],
      [6, approved],
    ])
    await play('pa_req_skipped', [
      [0, created],
      [6, approved],
    ])
    expect(await read()).toMatchObject({
      submitted: 3,
      ended: { approved: 2, denied: 1 },
      turnaroundFromSubmission: { count: 0, medianMs: null, within72Hours: null },
      turnaroundFromRequest: { count: 1, medianMs: 6 * hourMs },
    })
  })

  it('counts appeals and how they ended by themselves', async () => {
    const appeal = { is_appeal: true }
    await play('pa_req_1', decided(26, denied('plan_exclusion')))
    await play('pa_req_2', [
      [30, { ...created, ...appeal }],
      [31, withPayer],
      [50, approved],
    ])
    await play('pa_req_3', [
      [30, { ...created, ...appeal }],
      [31, withPayer],
      [50, denied('plan_exclusion')],
    ])
    await play('pa_req_4', [
      [30, { ...created, ...appeal }],
      [31, { status: 'cancelled' }],
    ])
    await play('pa_req_5', [[30, { ...created, ...appeal }]])
    expect(await read()).toMatchObject({
      requested: 1,
      submitted: 1,
      ended: { approved: 0, denied: 1, cancelled: 0 },
      appeals: { made: 4, approved: 1, denied: 1, endedOtherwise: 1, approvedShare: 0.5 },
      turnaroundFromSubmission: { count: 1 },
    })
  })

  it('adds up how long the practice and the provider were waited for', async () => {
    const [review, asked] = [{ status: 'awaiting_review' }, { status: 'awaiting_provider_response' }]
    await play('pa_req_1', [
      [0, created],
      [1, review],
      [5, withPayer],
      [6, asked],
      [9, withPayer],
      [20, approved],
    ])
    await play('pa_req_2', [
      [0, created],
      [1, asked],
      [2, processing],
      [3, asked],
      [7, withPayer],
      [9, approved],
    ])
    await play('pa_req_3', [
      [0, created],
      [1, review],
    ])
    expect(await read()).toMatchObject({
      waitingForPractice: { count: 1, medianMs: 4 * hourMs },
      waitingForProvider: { count: 2, medianMs: 4 * hourMs, meanMs: 4 * hourMs },
    })
  })

  it("tells how transfers ended and how long completed ones took, by the service's own times", async () => {
    const transfer = (status: string, attempt: number, confirmed?: number) => ({
      prescription_transfer: {
        status,
        transfer_attempts: [{ timestamp: new Date(start + attempt * hourMs).toISOString() }],
        confirmation_attempts:
          confirmed === undefined
            ? []
            : [{ timestamp: new Date(start + confirmed * hourMs).toISOString(), outcome: 'success' }],
      },
    })
    const before: Journey = [
      [0, created],
      [2, withPayer],
      [10, approved],
    ]
    await play('pa_req_1', [...before, [13, transfer('in_progress', 12)], [20, transfer('completed', 12, 18)]])
    await play('pa_req_2', [...before, [13, transfer('in_progress', 12)], [22, transfer('completed', 12)]])
    await play('pa_req_3', [...before, [13, transfer('in_progress', 12)], [14, transfer('error', 12)]])
    await play('pa_req_4', [
      ...before,
      [13, transfer('error', 12)],
      [14, transfer('in_progress', 12)],
      [15, transfer('cancelled', 12)],
    ])
    await play('pa_req_5', [...before, [13, transfer('in_progress', 12)]])
    expect((await read()).transfers).toEqual({
      completed: 2,
      failed: 1,
      cancelled: 1,
      completedShare: 0.5,
      time: { count: 2, medianMs: 8 * hourMs, p90Ms: Math.round((6 + 0.9 * 4) * hourMs), meanMs: 8 * hourMs },
    })
  })

  it('counts benefit verifications, and measures those that it knew from the start', async () => {
    const bv = 'benefit_verification'
    const verify = (id: string, hours: number, status: string) =>
      play(
        id,
        [
          [0, { status: 'pending' }],
          [hours, { status }],
        ],
        bv,
      )
    await verify('bv_1', 4, 'completed')
    await verify('bv_2', 8, 'completed')
    await play('bv_3', [[9, { status: 'completed' }]], bv)
    await verify('bv_4', 3, 'failed')
    await verify('bv_5', 3, 'cancelled')
    expect(await read()).toMatchObject({
      requested: 0,
      ended: { other: 0 },
      verifications: {
        requested: 5,
        completed: 3,
        failed: 1,
        cancelled: 1,
        turnaround: { count: 2, medianMs: 6 * hourMs },
      },
    })
  })

  it('counts in a period what happened in it, its end not included', async () => {
    await play('pa_req_1', decided(26, approved))
    const figures = (from: number, to: number) => read({ from: start + from * hourMs, to: start + to * hourMs })
    expect(await figures(0, 2)).toMatchObject({ resources: 1, requested: 1, submitted: 0, ended: { approved: 0 } })
    expect(await figures(2, 26)).toMatchObject({ resources: 1, requested: 0, submitted: 1, ended: { approved: 0 } })
    expect(await figures(26, 27)).toMatchObject({ resources: 1, submitted: 0, ended: { approved: 1 } })
    expect(await figures(27, 99)).toMatchObject({ resources: 0, approvedShare: null })
  })

  it('reads what was heard of before the period, part by part, and each once at its first moment within', async () => {
    await play('pa_req_1', [
      [0, created],
      [2, withPayer],
      [26, approved],
    ])
    await ledger.catchUp()
    await sql`insert into outcomes select 1000 + n, kind, heard_at + n % 2 * ${2 * hourMs}, from_start, status, status_at, submitted_at,
      ended_at, result, reason, is_appeal, is_urgent, transfer_status, transfer_started_at, transfer_ended_at, practice_ms, provider_ms, groups
      from outcomes, (with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 2500) select n from numbers) as numbers`.execute(
      storage.db,
    )
    const { figures } = await readReport(ledger, { from: start + hourMs, to: start + 99 * hourMs })
    expect(figures).toMatchObject({
      resources: 2_501,
      requested: 1_250,
      submitted: 2_501,
      ended: { approved: 2_501 },
      turnaroundFromRequest: { count: 2_501, medianMs: 26 * hourMs },
    })
  })

  describe('in groups', () => {
    const [cheap, dear] = ['00000000011', '00000-0000-22']
    const decide = async (count: number, name: string, more: object) => {
      for (let n = 0; n < count; n += 1)
        await play(`pa_req_${name}_${n}`, [
          [0, { ...created, ...more }],
          [2, withPayer],
          [26, approved],
        ])
      await ledger.catchUp()
    }
    const groupsOf = async (by: 'payer' | 'drug' | 'provider', small = false) =>
      (await readReport(ledger, { ...january, by, small })).groups.map(
        ({ kind, name, figures }) => `${kind} ${name}: ${figures.resources}, ${figures.ended.approved} approved`,
      )

    it('names payer, drug and provider by their identifiers, and counts small ones together', async () => {
      await decide(12, 'a', of('000001', cheap, '1234567893'))
      await decide(11, 'b', of('000002', dear, '1987654320'))
      await decide(6, 'c', of('000003', '0000-0000-33', 'nobody'))
      await decide(5, 'd', { prescription: { drug_name: '  Samplemab  FORTE ' } })
      expect(await groupsOf('payer')).toEqual([
        'one 000001/PCN1: 12, 12 approved',
        'one 000002/PCN1: 11, 11 approved',
        'others others: 11, 11 approved',
      ])
      expect(await groupsOf('payer', true)).toEqual([
        'one 000001/PCN1: 12, 12 approved',
        'one 000002/PCN1: 11, 11 approved',
        'one 000003/PCN1: 6, 6 approved',
        'unknown unknown: 5, 5 approved',
      ])
      expect(await groupsOf('drug', true)).toEqual([
        'one 00000000011: 12, 12 approved',
        'one 00000000022: 11, 11 approved',
        'one 00000000033: 6, 6 approved',
        'one samplemab forte: 5, 5 approved',
      ])
      expect(await groupsOf('provider')).toEqual([
        'one 1234567893: 12, 12 approved',
        'one 1987654320: 11, 11 approved',
        'unknown unknown: 11, 11 approved',
      ])
    })

    it('merges a larger group with those that would stand out by what is missing', async () => {
      await decide(13, 'a', of('000001', cheap, '1234567893'))
      await decide(12, 'b', of('000002', cheap, '1234567893'))
      await decide(2, 'c', of('000003', cheap, '1234567893'))
      expect(await groupsOf('payer')).toEqual(['one 000001/PCN1: 13, 13 approved', 'others others: 14, 14 approved'])
    })

    it('stores no identifier that can be read without the key, and nothing of the patient', async () => {
      await decide(1, 'a', of('000001', cheap, '1234567893'))
      const { rows } = await sql<Record<string, unknown>>`select * from outcomes`.execute(storage.db)
      const text = rows
        .flatMap((row) => Object.values(row))
        .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)))
        .join('\n')
      for (const word of ['000001', 'PCN1', cheap, '1234567893', 'patient-7', 'Sample', 'Muster', 'M-1'])
        expect(text).not.toContain(word)
    })
  })

  it('tells how far it is behind the work, unless that is a few seconds', async () => {
    await play('pa_req_1', decided(26, approved))
    now += 60_000
    expect((await readReport(ledger, january)).behindMs).toBe(26 * hourMs + 60_000)
    await ledger.catchUp()
    expect(await readReport(ledger, january)).toMatchObject({ figures: { resources: 1 } })
    expect(await readReport(ledger, january)).not.toHaveProperty('behindMs')
  })

  it('is the same whether it followed each release or came to them later', async () => {
    const transfer = (status: string, told: object = {}) => ({ prescription_transfer: { status, ...told } })
    const rows = async (afterwards?: () => Promise<void>) => {
      await sql`delete from outcomes`.execute(storage.db)
      const id = afterwards === undefined ? 'pa_req_later' : 'pa_req_at_once'
      const journey: Journey = [
        [0, { ...created, ...of('000001', '00000000011', '1234567893') }],
        [1, { status: 'awaiting_review' }],
        [3, withPayer],
        [5, { status: 'awaiting_provider_response', priority: 1 }],
        [9, withPayer],
        [26, approved],
        [27, transfer('pending')],
        [28, transfer('completed', { transfer_attempts: [{ timestamp: '2026-01-06T11:00:00Z' }] })],
        [29, denied('plan_exclusion')],
      ]
      await live({ ledger, start, setNow: (at) => (now = at), afterwards }, id, journey)
      await ledger.catchUp()
      const { rows } = await sql<Record<string, unknown>>`select * from outcomes`.execute(storage.db)
      return rows.map(({ resource: _resource, groups: _groups, ...row }) => row)
    }
    expect(await rows()).toEqual(await rows(() => ledger.catchUp()))
  })

  it('counts an outcome once, however often the resource is heard of afterwards', async () => {
    await play('pa_req_1', [
      [0, created],
      [2, withPayer],
      [26, approved],
      [30, { message_thread: { is_resolved: true } }],
    ])
    expect(await read()).toMatchObject({ requested: 1, submitted: 1, ended: { approved: 1 } })
  })

  it('counts on what has ended without its id once its contents are gone, and not a second time', async () => {
    await play('pa_req_1', decided(26, approved))
    await play('pa_req_2', [
      [0, created],
      [2, withPayer],
    ])
    await passDays(33)
    const { rows } = await sql<{
      resource: number
      id: string | null
    }>`select resource, id from outcomes left join resources on number = resource order by resource`.execute(storage.db)
    expect(rows.map(({ id }) => id)).toEqual([null, 'pa_req_2'])
    expect(rows[0]?.resource).toBeLessThan(0)
    await play('pa_req_1', [[34 * 24, approved]])
    await play('pa_req_2', [[34 * 24, approved]])
    expect(await read({ ...january, to: start + 99 * 24 * hourMs })).toMatchObject({
      resources: 2,
      requested: 2,
      submitted: 2,
      ended: { approved: 2 },
    })
  })

  it('forgets a resource with the erasure of its patient, and all after REPORT_RETENTION_DAYS', async () => {
    for (const id of ['pa_req_1', 'pa_req_2']) await play(id, decided(26, approved))
    await ledger.erase('pa_req_1', 'patient-7', act)
    expect(await read()).toMatchObject({ resources: 1 })
    const after = async (days: number) => {
      await passDays(days)
      return (await read()).resources
    }
    expect(await after(399)).toBe(1)
    expect(await after(401)).toBe(0)
  })
}

describeOnEachStorage('the report of a ledger', describeReport)
