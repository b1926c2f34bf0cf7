import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Clock } from '../../../base/src/clock.ts'
import type { AlertTargetName, FoundAlert } from '../../src/alerts/alert-records.ts'
import type { Ledger } from '../../src/ledger.ts'
import { describeOnPostgres } from '../../../../test/support/postgres.ts'
import { openLedger } from '../filled-ledger.ts'
import { describeOnSqlite } from '../on-each-storage.ts'
import { aDelivery } from '../a-delivery.ts'

const away: FoundAlert = { kind: 'away', subject: 'ehr', level: 0, count: 1, opens: true }
const work: FoundAlert = { kind: 'work', subject: 'chart chart_locked', level: 50, count: 1, opens: true }
const terms = { leaseMs: 15_000, maxRestMs: 900_000, restMs: 300_000 }
const dayMs = 86_400_000

/** Tests of the stored alerts, on any kind of storage; two processes have it open. */
function describeAlerts(newUrl: () => Promise<string>, isClockOurs: boolean) {
  let ledger: Ledger
  let other: Ledger
  let now: number

  beforeEach(async () => {
    now = 1_000 * dayMs
    const clock: Clock = { now: () => now, elapsed: () => now }
    const url = await newUrl()
    ledger = await openLedger(url, clock)
    other = await openLedger(url, clock)
    await ledger.addAlertTargets(['url'])
  })
  afterEach(async () => {
    await ledger.close()
    await other.close()
  })

  const find = (...found: FoundAlert[]) => ledger.noteAlerts({ found, gone: [] })
  const turnOf = (by: Ledger, owner: string, name: AlertTargetName = 'url') =>
    by.takeAlertTurn(name, { owner, ...terms })
  /** What the target has not heard of; it is told. */
  const tell = async (restMs = 0) => {
    const turn = await turnOf(ledger, 'teller')
    if (turn === undefined) return []
    await ledger.endAlertTurn('url', 'teller', { told: turn.alerts, restMs })
    return turn.alerts.map(({ subject, level, step, told }) => `${subject} ${level}: ${told} to ${step}`)
  }

  it('open once, however many processes find the problem', async () => {
    await Promise.all([ledger, other, ledger, other].map((each) => each.noteAlerts({ found: [away], gone: [] })))
    expect(await ledger.openAlerts()).toMatchObject([{ kind: 'away', subject: 'ehr', seen: 3 }])
    expect(await tell()).toEqual(['ehr 0: 0 to 1'])
    expect(await tell()).toEqual([])
  })

  it('record when the problem began, to the millisecond', async () => {
    await find({ ...away, forMs: 61_000.4 })
    const [alert] = await ledger.openAlerts()
    expect((alert?.openedAt ?? 0) - (alert?.beganAt ?? 0)).toBe(61_000)
  })

  it('stay closed for a finding that may only keep one open', async () => {
    await find({ ...away, opens: false })
    expect(await ledger.openAlerts()).toEqual([])
    await find(away)
    await find({ ...away, opens: false })
    expect(await ledger.openAlerts()).toMatchObject([{ seen: 1 }])
  })

  it('count a step per level and at 10, 100 and 1,000, and never step back', async () => {
    for (const level of [50, 50, 100, 50, 100]) await find({ ...work, level })
    expect(await tell()).toEqual(['chart chart_locked 100: 0 to 2'])
    for (const count of [9, 10, 12, 3, 11, 105, 1_200]) await find({ ...work, level: 100, count, tellsGrowth: true })
    expect(await tell()).toEqual(['chart chart_locked 100: 2 to 5'])
  })

  it('close once the problem is gone, unless another process saw it since, and can reopen', async () => {
    await find(away)
    const [alert] = await ledger.openAlerts()
    if (alert === undefined) throw new Error('not open')
    await other.noteAlerts({ found: [away], gone: [] })
    await ledger.noteAlerts({ found: [], gone: [alert] })
    expect(await ledger.openAlerts()).toHaveLength(1)
    await Promise.all(
      [ledger, other].map((each) => each.noteAlerts({ found: [], gone: [{ id: alert.id, seen: alert.seen + 1 }] })),
    )
    expect(await ledger.openAlerts()).toEqual([])
    await find(away)
    expect(await tell()).toEqual(['ehr 0: 0 to 2', 'ehr 0: 0 to 1'])
    expect((await ledger.listAlerts(10)).map(({ closedAt }) => closedAt !== undefined)).toEqual([false, true])
  })

  it('end when they were last evident: at once where they are found over, and never twice', async () => {
    await find({ ...away, forMs: 60_000, lastAgoMs: 20_000 })
    await find({ ...away, lastAgoMs: 25_000, isOver: true })
    await find({ ...away, opens: false, isOver: true })
    const [alert, ...others] = await ledger.listAlerts(10)
    expect(others).toEqual([])
    expect((alert?.closedAt ?? 0) - (alert?.beganAt ?? 0)).toBeGreaterThan(34_000)
    expect((alert?.closedAt ?? 0) - (alert?.openedAt ?? 0)).toBeLessThan(0)
    const lock: FoundAlert = { ...away, kind: 'turned_away', isOver: true, lastAgoMs: 5_000, noticeEveryMs: 180_000 }
    for (let round = 0; round < 3; round += 1) await find(lock)
    expect(await ledger.openAlerts()).toEqual([])
    expect(await ledger.listAlerts(10)).toHaveLength(2)
  })

  it('begin anew at a higher level, told as such', async () => {
    await find({ ...work, beganAt: 1 })
    await tell()
    await find({ ...work, level: 100, beganAt: 2 })
    expect(await ledger.openAlerts()).toMatchObject([{ beganAt: 2 }])
    expect(await tell()).toEqual(['chart chart_locked 100: 0 to 2'])
  })

  it('give one process at a time the turn to send', async () => {
    await find(away)
    const turns = await Promise.all([turnOf(ledger, 'a'), turnOf(other, 'b'), turnOf(ledger, 'c')])
    expect(turns.filter((turn) => turn !== undefined)).toHaveLength(1)
  })

  it('track per target what it was told, then leave it alone for a rest', async () => {
    await find(away)
    await find({ ...work, level: 100 })
    expect(await tell(60_000)).toHaveLength(2)
    await find({ ...work, level: 100, count: 10, tellsGrowth: true })
    expect(await turnOf(other, 'b')).toBeUndefined()
    await other.addAlertTargets(['url', 'email'])
    expect((await turnOf(other, 'b', 'email'))?.alerts).toHaveLength(2)
    expect(await ledger.alertTargets(['url', 'email'])).toMatchObject([
      { name: 'url', failures: 0, waiting: 1 },
      { name: 'email', sentAgoMs: undefined, waiting: 2 },
    ])
  })

  it('leave a failed target alone for its wait', async () => {
    await find(away)
    await turnOf(ledger, 'a')
    await ledger.endAlertTurn('url', 'a', { errorCode: 'http_500', restMs: 60_000 })
    expect(await turnOf(other, 'b')).toBeUndefined()
    expect(await other.alertTargets(['url'])).toMatchObject([{ failures: 1, errorCode: 'http_500', waiting: 1 }])
  })

  it('tell a new target the open alerts, and a known one all changes since', async () => {
    await find(away)
    await ledger.noteAlerts({ found: [], gone: await ledger.openAlerts() })
    await find(work)
    await ledger.addAlertTargets(['email'])
    expect((await turnOf(ledger, 'a', 'email'))?.alerts.map(({ kind }) => kind)).toEqual(['work'])
    expect(await tell()).toEqual(['ehr 0: 0 to 2', 'chart chart_locked 50: 0 to 1'])
  })

  it('a purge records its time', async () => {
    expect(await ledger.purgedAgo()).toBe(0)
    const keep = { keepMs: dayMs, parkedKeepMs: dayMs, reportKeepMs: 400 * 86_400_000 }
    for (let cursor: number | undefined = 0; cursor !== undefined;) cursor = (await ledger.purge(keep, cursor)).cursor
    expect(await other.purgedAgo()).toBeLessThan(60_000)
  })

  it('a task of the night begins in one process alone, and covers what came since it last ended well', async () => {
    const task = 'verify ehr'
    const pass = async (ms: number) => (isClockOurs ? void (now += ms) : sleep(ms))
    const begin = async (dueAgoMs: number) =>
      (await Promise.all([ledger, other].map((each) => each.beginNightly(task, dueAgoMs)))).flatMap(
        (each) => each ?? [],
      )
    expect(await begin(60_000)).toEqual([])
    await pass(1_500)
    const [first, ...second] = await begin(1_000)
    expect(second).toEqual([])
    expect(await begin(1_000)).toEqual([])
    await pass(1_500)
    // It did not end well: the same again.
    const [again] = await begin(1_000)
    expect(again?.since).toBe(first?.since)
    await ledger.endNightly(task, again?.begunAt ?? 0)
    await pass(1_500)
    expect(await begin(1_000)).toMatchObject([{ since: again?.begunAt }])
  })

  it('each group of failing work names the piece tried most often', async () => {
    for (const [id, attempts, code] of [
      ['pa_req_1', 2, 'chart_locked'],
      ['pa_req_2', 5, 'chart_locked'],
      ['pa_req_3', 1, 'timeout'],
    ] as const) {
      await ledger.accept(aDelivery({ resourceId: id }))
      const claim = await ledger.claim(id, 60_000, {})
      if (claim === undefined) throw new Error('not claimed')
      const error = { code, message: 'No.' }
      const run = { handler: 'chart', startedAt: 1, finishedAt: 2, firstEventId: 1, lastEventId: 1, writes: [] }
      const failure = { of: 'failure', run: { ...run, error, attempts, delayMs: 60_000 } } as const
      await ledger.release(claim, { notes: [failure], dueInMs: 60_000, restMs: 0 })
    }
    const mostTried = async (...tries: number[]) =>
      (await ledger.workGroups({}, tries)).map(({ errorCode, mostTried }) => ({ errorCode, ...mostTried }))
    expect(await mostTried(2)).toMatchObject([{ reached: 2 }, { reached: 0 }])
    expect(await mostTried(2, 5, 7)).toEqual([
      { errorCode: 'chart_locked', attempts: 5, resourceId: 'pa_req_2', reached: 1 },
      { errorCode: 'timeout', attempts: 1, resourceId: 'pa_req_3', reached: 0 },
    ])
  })

  // PostgreSQL has its own clock.
  if (!isClockOurs) return
  describe('as time passes', () => {
    it('pass the turn of a dead process on once its lease ends, and ignore the dead one from then on', async () => {
      await find(away)
      const lost = await turnOf(ledger, 'dead')
      expect(await turnOf(other, 'living')).toBeUndefined()
      now += terms.leaseMs
      const again = await turnOf(other, 'living')
      expect(again?.alerts).toEqual(lost?.alerts)
      await ledger.endAlertTurn('url', 'dead', { errorCode: 'late', restMs: 900_000 })
      await other.endAlertTurn('url', 'living', { told: again?.alerts ?? [], restMs: 0 })
      expect(await ledger.alertTargets(['url'])).toMatchObject([{ failures: 0, waiting: 0 }])
    })

    it('ignore a lease or rest that a clock set back moved into the future', async () => {
      await find(away)
      await turnOf(ledger, 'a')
      now -= dayMs
      expect(await turnOf(other, 'b')).toBeDefined()
      await other.endAlertTurn('url', 'b', { errorCode: 'http_500', restMs: 900_000 })
      now -= dayMs
      expect(await turnOf(ledger, 'c')).toBeDefined()
    })

    it('are deleted 90 days after they closed', async () => {
      await find(away)
      const [alert] = await ledger.openAlerts()
      await ledger.noteAlerts({ found: [], gone: alert === undefined ? [] : [alert] })
      now += 91 * dayMs
      await find(work)
      const [second] = await ledger.openAlerts()
      await ledger.noteAlerts({ found: [], gone: second === undefined ? [] : [second] })
      expect((await ledger.listAlerts(10)).map(({ kind }) => kind)).toEqual(['work'])
    })
  })
}

describeOnSqlite('alerts in a ledger', (newPath) => describeAlerts(async () => `file:${newPath()}`, true))

describeOnPostgres('alerts in a ledger on PostgreSQL', (createLedgerDatabase) => {
  describeAlerts(createLedgerDatabase, false)
})
