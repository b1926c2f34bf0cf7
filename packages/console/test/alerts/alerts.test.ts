import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type Alerts, type AlertsDeps } from '../../src/alerts/alerts.ts'
import type { LimitReading } from '../../../client/src/schemas/rate-policies.ts'
import { targetsFrom, type TargetSettings } from '../../src/alerts/targets-from.ts'
import type { Ledger } from '../../../ledger/src/ledger.ts'
import { type FarSide, startFarSide } from '../../../testing/src/far-side.ts'
import { act } from '../../../../test/support/act.ts'
import { startIdleAlerts } from '../../../../test/support/idle-alerts.ts'
import { captureLog, type LogCapture } from '../../../../test/support/log-capture.ts'
import { startMailServer } from '../../../../test/support/mail-server.ts'
import { ownActor } from '../../../ledger/src/audit/audit-entry.ts'
import { execute, openLedger } from '../../../ledger/test/filled-ledger.ts'
import { failWork, type FailedWork } from './park-work.ts'
import { aDelivery } from '../../../ledger/test/a-delivery.ts'

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]
const limits = {
  oldestDueMs: 15 * minuteMs,
  awayMs: 120_000,
  pausedMs: 4 * hourMs,
  unacknowledgedMs: 4 * hourMs,
  refusedPerHour: 10,
  budgetPercent: 5,
  auditHeadMs: 0,
  backup: undefined,
}

let folder: string
let ledger: Ledger
let now: number
let passed: number
let capture: LogCapture
let hook: FarSide
let status: number

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pawl-alerts-'))
  now = Date.now()
  passed = 0
  capture = captureLog()
  ledger = await openLedger(`file:${join(folder, 'pawl.db')}`, { now: () => now, elapsed: () => passed })
  await ledger.audit({ actor: ownActor, action: 'process.start' })
  onTestFinished(() => rm(folder, { recursive: true }))
  onTestFinished(ledger.close)
  status = 200
  hook = await startFarSide(() => ({ status, body: 'Testa Sample' }))
  onTestFinished(hook.close)
})
/** Alerts of a process that sends to the hook, unless the test says otherwise. */
async function start(deps: Partial<AlertsDeps> = {}, targets: Partial<TargetSettings> = {}): Promise<Alerts> {
  const clock = { now: () => now }
  const url = { address: `${hook.url}/alerts`, secrets: [secret] }
  const alerts = startIdleAlerts({
    ledger,
    limits,
    intervalMs: minuteMs,
    clock,
    elapsed: () => passed,
    targets: await targetsFrom({ url, email: undefined, ...targets }, clock),
    log: capture.log,
    ...deps,
  })
  onTestFinished(() => alerts.close(1_000))
  return alerts
}

/** The time for which a target is left alone after a message: so many checks. */
const rest = 20

/** Lets so much time pass, then looks. */
async function look(alerts: Alerts, ms = minuteMs): Promise<void> {
  now += ms
  passed += ms
  await alerts.round()
}

/** Looks until the target may hear of more. */
async function lookLong(alerts: Alerts): Promise<void> {
  for (let n = 0; n < rest; n += 1) await look(alerts)
}

const fail = (...work: FailedWork[]) =>
  work.reduce((before, each) => before.then(() => failWork(ledger, { at: now, ...each })), Promise.resolve())
// Bodies that the target under test sends.
const bodies = () =>
  hook.requests.map(({ body }) => JSON.parse(body) as { text: string; alerts: { change: string; code: string }[] })
const told = () => bodies().map(({ alerts }) => alerts.map(({ code, change }) => `${code} ${change}`).join(', '))

describe('work that fails', () => {
  it('sends one message at half of its attempts, and one when it is parked', async () => {
    const alerts = await start()
    for (const attempts of [1, 4, 5, 9]) {
      await fail({ id: `pa_req_${attempts}`, errorCode: 'chart_locked', attempts })
      await look(alerts)
    }
    expect(bodies().map(({ alerts: [first] }) => first)).toMatchObject([{ count: 1, resource_id: 'pa_req_5' }])
    await fail({ id: 'pa_req_10', errorCode: 'chart_locked', isParked: true, attempts: 10 })
    await lookLong(alerts)
    await fail({ id: 'pa_req_11', errorCode: 'chart_locked', isParked: true, attempts: 10 })
    await lookLong(alerts)
    expect(told()).toEqual(['failing opened', 'parked opened'])
  })

  it('sends another message when ten pieces are parked', async () => {
    const alerts = await start()
    for (let n = 0; n < 12; n += 1) {
      await fail({ id: `pa_req_${n}`, errorCode: 'chart_locked', isParked: true })
      await lookLong(alerts)
    }
    expect(bodies().map(({ alerts: [first] }) => first)).toMatchObject([{ count: 1 }, { count: 10 }])
  })

  it('is one alert for each cause: a system, a handler, or what failed before any handler', async () => {
    const alerts = await start()
    for (const handler of ['chart', 'desk', 'fax']) {
      await fail({ id: `pa_${handler}`, handler, errorCode: 'ehr_write_failed', system: 'ehr', isParked: true })
      await fail({ id: `pa_lost_${handler}`, handler, errorCode: 'never_given_back', isParked: true })
    }
    await fail({ id: 'pa_own', handler: 'fax', errorCode: 'unexpected', isParked: true })
    await look(alerts)
    const { open } = await alerts.read()
    expect(open.map(({ kind, subject, count }) => `${kind} ${subject}: ${count}`).toSorted()).toEqual([
      'work fax unexpected: 1',
      'work_at_system ehr ehr_write_failed: 3',
      'work_before_handlers never_given_back: 3',
    ])
  })

  it('counts one case, whatever handlers failed for it', async () => {
    const alerts = await start()
    for (const [n, handler] of ['chart', 'desk', 'fax'].entries())
      await fail({ id: 'pa_unknown', handler, errorCode: 'not_found_yet', isParked: true, attempts: 8 + n })
    await look(alerts)
    expect((await alerts.read()).open).toMatchObject([{ count: 1, fault: { title: '1 case parked' } }])
  })

  it('begins with the first failure of what is open now', async () => {
    const alerts = await start()
    const beganAt = now
    await fail({ id: 'pa_req_1', errorCode: 'unexpected', attempts: 1 })
    now += hourMs + minuteMs
    passed += hourMs + minuteMs
    await fail({ id: 'pa_req_1', errorCode: 'unexpected', attempts: 5 })
    await look(alerts)
    expect((await alerts.read()).open).toMatchObject([{ beganAt }])
    await ledger.discard([{ resourceId: 'pa_req_1', handler: 'chart' }], { ...act, reason: 'mended' })
    const laterAt = now
    await fail({ id: 'pa_req_2', errorCode: 'unexpected', attempts: 5 })
    await look(alerts)
    expect((await alerts.read()).open).toMatchObject([{ beganAt: laterAt }])
  })

  it('that waits for a pause or a system opens no alert', async () => {
    const alerts = await start()
    await ledger.pause({ kind: 'handler', name: 'chart' }, act)
    await fail({ id: 'pa_req_1', errorCode: 'handler_paused', attempts: 9 })
    await fail({ id: 'pa_req_2', errorCode: 'system_down', system: 'ehr', attempts: 9 })
    await look(alerts)
    expect((await alerts.read()).open).toEqual([])
  })

  it('closes its alert after four rounds without a finding, with a message', async () => {
    const alerts = await start()
    await fail({ id: 'pa_req_1', errorCode: 'chart_locked', isParked: true })
    await look(alerts)
    await ledger.discard([{ resourceId: 'pa_req_1', handler: 'chart' }], { ...act, reason: 'done by hand' })
    for (let round = 0; round < 3; round += 1) await look(alerts)
    expect((await alerts.read()).open).toHaveLength(1)
    for (let round = 0; round < 2; round += 1) await look(alerts)
    expect(await alerts.read()).toMatchObject({ open: [] })
    await lookLong(alerts)
    expect(told()[1]).toContain('parked over')
    expect(bodies().at(-1)?.text).toContain('over after 60 s: 1 case parked')
    expect((await alerts.list(10)).at(-1)).toMatchObject({ kind: 'work', closedAt: expect.any(Number) as number })
  })

  it('of an alert that is over is told by its highest number, and dated by its oldest failure', async () => {
    const alerts = await start()
    const ids = Array.from({ length: 12 }, (_, n) => `pa_req_${n}`)
    const park = (id: string) => fail({ id, errorCode: 'chart_locked', isParked: true })
    const discard = (of: string[]) =>
      ledger.discard(
        of.map((resourceId) => ({ resourceId, handler: 'chart' })),
        { ...act, reason: 'done by hand' },
      )
    for (const id of ids.slice(0, 7)) await park(id)
    const failedAt = now
    await look(alerts)
    for (const id of ids.slice(7)) await park(id)
    await look(alerts)
    await discard(ids.slice(0, 6))
    await look(alerts)
    const [open] = (await alerts.read()).open
    expect(open).toMatchObject({ count: 6, most: 12, beganAt: failedAt, fault: { title: '6 cases parked' } })
    await discard(ids.slice(6))
    await lookLong(alerts)
    expect(bodies().at(-1)?.text).toMatch(/over after \d+ (s|min): 12 cases parked$/m)
    expect((await alerts.list(9)).at(-1)).toMatchObject({ fault: { title: '12 cases parked', since: failedAt } })
  })

  it('of 500 resources with 40 codes is one message, and while more than ten open in five minutes there are no more than 12 an hour', async () => {
    const alerts = await start({ intervalMs: 15_000 })
    const flood = Array.from({ length: 500 }, (_, n) => ({
      id: `pa_req_${n}`,
      errorCode: `code_${n % 40}`,
      isParked: true,
    }))
    await Promise.all(flood.map((each) => failWork(ledger, each)))
    await look(alerts, 15_000)
    expect(hook.requests).toHaveLength(1)
    expect(bodies()[0]?.alerts).toHaveLength(40)
    expect(bodies()[0]?.text).toMatch(/^pawl: 40 alerts\n- /)
    for (let n = 0; n < 59; n += 1) {
      for (const each of [1, 2, 3])
        await fail({ id: `pa_more_${n}_${each}`, errorCode: `more_${n}_${each}`, isParked: true })
      await look(alerts)
    }
    expect(hook.requests).toHaveLength(12)
    await look(alerts, 5 * minuteMs)
    expect(await ledger.alertTargets(['url'])).toMatchObject([{ waiting: 0 }])
  })
})

describe('the rest after a message', () => {
  const error = { code: 'x', message: '', httpStatus: 401 }
  const refuses = (system: string) => ({ system, forMs: hourMs, error })

  it('ends with an alert that opens, which comes with all that was held back', async () => {
    let away: ReturnType<typeof refuses>[] = []
    const alerts = await start({ readAway: () => away })
    await fail({ id: 'pa_req_1', errorCode: 'chart_locked', attempts: 5 })
    await look(alerts)
    await ledger.discard([{ resourceId: 'pa_req_1', handler: 'chart' }], { ...act, reason: 'done by hand' })
    for (let n = 0; n < 6; n += 1) await look(alerts)
    expect(told()).toEqual(['failing opened'])
    away = [refuses('ehr')]
    await look(alerts)
    away = [refuses('ehr'), refuses('api')]
    await look(alerts)
    expect(told().slice(1)).toEqual(['failing over, login_refused opened', 'token_expired opened'])
  })

  it('holds back an alert that opens, is over and opens again, and none of another fault', async () => {
    let away: ReturnType<typeof refuses>[] = []
    let outage: { forMs: number; code: string } | undefined
    const alerts = await start({ readAway: () => away, readQueueOutage: () => outage })
    for (let n = 0; n < 18; n += 1) {
      away = n % 6 === 0 ? [refuses('ehr')] : []
      outage = n === 4 ? { forMs: hourMs, code: 'ECONNREFUSED' } : undefined
      await look(alerts)
    }
    expect(told()).toEqual(['login_refused opened', 'queue opened'])
    await lookLong(alerts)
    expect(told()).toHaveLength(3)
  })

  it('ends as an open alert becomes one that a person must act on, told with its own beginning', async () => {
    const alerts = await start()
    await fail({ id: 'pa_req_1', errorCode: 'chart_locked', attempts: 5 })
    await look(alerts)
    await fail({ id: 'pa_req_2', errorCode: 'chart_locked', isParked: true, attempts: 10 })
    const parkedAt = now
    await look(alerts)
    expect(told()).toEqual(['failing opened', 'parked opened'])
    expect((await alerts.read()).open).toMatchObject([{ beganAt: parkedAt, fault: { code: 'parked' } }])
  })
})

describe('a message', () => {
  it('is signed, has ids, codes and the words of the catalogue alone, and is JSON that Slack takes', async () => {
    const alerts = await start({ adminUrl: 'https://pawl.clinic.example/' })
    await fail({ id: 'pa_req_2', errorCode: 'Testa Sample', isParked: true })
    await look(alerts)
    const [first] = hook.requests
    // Its headers are strings: none of them comes twice.
    const verified = new Webhook(secret).verify(first?.body ?? '', first?.headers as Record<string, string>)
    const { text = '', alerts: told } = verified as { text?: string; alerts: object[] }
    expect({ text: text.split('\n'), alerts: told }).toMatchObject({
      text: [
        expect.stringMatching(/^pawl: 1 case parked since [\d :-]+ \w+ \(chart: \?\)\. Nothing lost\.$/),
        'Fix it, then:',
        'pawl retry --handler chart --error ?',
        'https://pawl.clinic.example/parked?handler=chart&error=%3F',
        'https://pawl.clinic.example/runbook#a-handlers-bug-parked-work',
      ],
      alerts: [{ code: 'parked', change: 'opened', severity: 'bad', count: 1 }],
    })
    expect(first?.body).not.toContain('Testa')
    expect(capture.text()).not.toContain('Testa')
  })

  it('goes unsigned where there is no secret, and to a mail server, too', async () => {
    const mails = await startMailServer()
    onTestFinished(() => mails.close())
    const email = {
      to: ['call@clinic.example'],
      from: 'pawl@clinic.example',
      smtpUrl: `smtp://127.0.0.1:${mails.port}`,
    }
    const alerts = await start({}, { url: { address: hook.url, secrets: [] }, email })
    await fail({ id: 'pa_req_1', errorCode: 'chart_locked', isParked: true })
    await look(alerts)
    expect(hook.requests.map(({ headers }) => headers['webhook-signature'])).toEqual([undefined])
    expect(mails.mails).toHaveLength(1)
    expect(mails.mails[0]?.text).toMatch(
      /Subject: pawl: 1 case parked since .+ \(chart: chart_locked\)\.\s+Nothing\s+lost\./,
    )
    expect(mails.mails[0]?.text).toContain('pawl retry --handler chart --error chart_locked')
  })

  it('of a test returns the answer of each target', async () => {
    status = 404
    const email = { to: ['call@clinic.example'], from: 'pawl@clinic.example', smtpUrl: 'smtp://127.0.0.1:9' }
    const alerts = await start({}, { email })
    expect(await alerts.test()).toEqual([
      { target: 'url', ok: false, code: 'http_404' },
      { target: 'email', ok: false, code: expect.stringMatching(/^[A-Z]+$/) as string },
    ])
    expect(bodies()).toMatchObject([{ alerts: [] }])
  })

  it('does not follow a redirect', async () => {
    const elsewhere = await startFarSide(() => ({ status: 200, body: '' }))
    onTestFinished(elsewhere.close)
    status = 302
    const alerts = await start()
    expect(await alerts.test()).toMatchObject([{ ok: false, code: 'http_302' }])
  })
})

it('the targets are those of the settings, also before the first round', async () => {
  const alerts = await start({ intervalMs: hourMs })
  expect(alerts.last()).toMatchObject({ open: [], targets: [{ name: 'url', isDead: false }] })
})

describe('a target that takes nothing', () => {
  it('is retried with backoff, reported to the other targets, and gets all alerts once it is back', async () => {
    status = 503
    const mails = await startMailServer()
    onTestFinished(() => mails.close())
    const email = {
      to: ['call@clinic.example'],
      from: 'pawl@clinic.example',
      smtpUrl: `smtp://127.0.0.1:${mails.port}`,
    }
    const alerts = await start({}, { email })
    await fail({ id: 'pa_req_1', errorCode: 'chart_locked', isParked: true })
    for (let n = 0; n < 10; n += 1) await look(alerts)
    expect(hook.requests).toHaveLength(4)
    expect((await alerts.read()).targets).toMatchObject([
      { name: 'url', isDead: true, failures: 4, errorCode: 'http_503', waiting: 2 },
      { name: 'email', isDead: false },
    ])
    expect(capture.lines()).toContainEqual(
      expect.objectContaining({ level: 'error', system: 'url', code: 'http_503', msg: 'alerts do not reach a target' }),
    )
    await lookLong(alerts)
    expect(mails.mails.map(({ text }) => /^Subject: (.*)$/m.exec(text)?.[1]?.trim())).toEqual([
      expect.stringMatching(/^pawl: 1 case parked since .+ \(chart: chart_locked\)\./),
      expect.stringMatching(/^pawl: Alerts do not reach the target url since /),
    ])
    status = 200
    await lookLong(alerts)
    await lookLong(alerts)
    expect((await alerts.read()).targets).toMatchObject([{ isDead: false, failures: 0, waiting: 0 }, {}])
    const heard = told()
      .slice(4)
      .filter((each) => each !== '')
    expect(heard.join(', ')).toContain('parked opened')
    expect(heard.join(', ')).toContain('target over')
  })
})

describe('several processes, and one after the other', () => {
  it('send each message once', async () => {
    const processes = [await start(), await start(), await start()]
    await fail({ id: 'pa_req_1', errorCode: 'chart_locked', isParked: true })
    for (let n = 0; n < 3; n += 1) {
      now += minuteMs
      passed += minuteMs
      await Promise.all(processes.map((each) => each.round()))
    }
    expect(told()).toEqual(['parked opened'])
  })

  it('send nothing again after a restart', async () => {
    await fail({ id: 'pa_req_1', errorCode: 'chart_locked', isParked: true })
    await look(await start())
    const next = await start()
    await lookLong(next)
    expect(told()).toEqual(['parked opened'])
  })

  it('keep an alert open that only one of them can see', async () => {
    const [sees, other] = [await start({ readAway: () => [{ system: 'ehr', forMs: hourMs }] }), await start()]
    for (let n = 0; n < 8; n += 1) {
      await look(sees)
      await look(other, 0)
    }
    expect(told()).toEqual(['away opened'])
    await sees.close(1_000)
    await lookLong(other)
    expect(told()).toEqual(['away opened', 'away over'])
  })

  it('repeat and close no alert when the clock is set', async () => {
    const alerts = await start()
    await fail({ id: 'pa_req_1', errorCode: 'chart_locked', isParked: true })
    await look(alerts)
    for (const step of [-3 * dayMs, 2 * dayMs, dayMs]) {
      now += step
      await look(alerts)
    }
    expect(told()).toEqual(['parked opened'])
    await ledger.followClock(1_000)
    await fail({ id: 'pa_req_2', errorCode: 'timeout', isParked: true })
    now -= 3 * dayMs
    await look(alerts)
    expect(told()).toEqual(['parked opened', 'parked opened'])
  })
})

describe('further alerts', () => {
  /** The codes of all alerts that were told. */
  const codes = () => bodies().flatMap(({ alerts }) => alerts.map(({ code }) => code))

  it('opens one for work that is overdue', async () => {
    const alerts = await start()
    await ledger.accept(aDelivery())
    for (let n = 0; n < 17; n += 1) await look(alerts)
    expect(codes()).toEqual([])
    await look(alerts)
    expect(codes()).toEqual(['overdue'])
  })

  it('opens one for an audit trail that was altered, until a week after that was noted', async () => {
    const alerts = await start()
    await look(alerts)
    expect(codes()).toEqual([])
    await execute(`file:${join(folder, 'pawl.db')}`, "update audit_head set signature = '0badc0de:x'")
    await look(alerts)
    expect(codes()).toEqual(['audit'])
    await ledger.audit({ actor: ownActor, action: 'process.start' })
    for (let days = 0; days < 6; days += 1) await look(alerts, dayMs)
    expect((await alerts.read()).open.map(({ kind }) => kind)).toContain('audit')
    for (let days = 0; days < 6; days += 1) await look(alerts, dayMs)
    expect((await alerts.read()).open.map(({ kind }) => kind)).not.toContain('audit')
  })

  it('opens one for unverifiable deliveries', async () => {
    const alerts = await start()
    const refuse = (reason: string) => ledger.reject({ reason, bytes: 1 })
    for (let n = 0; n < 12; n += 1) refuse('wrong_method')
    for (let n = 0; n < 9; n += 1) refuse('token_invalid')
    await ledger.noteOutage('ehr', 1)
    await look(alerts)
    expect(codes()).toEqual([])
    refuse('token_invalid')
    await ledger.noteOutage('ehr', 1)
    while ((await ledger.refused(hourMs)).every(({ reason, count }) => reason !== 'token_invalid' || count < 10))
      await ledger.noteOutage('ehr', 1)
    await look(alerts)
    expect(codes()).toEqual(['secret_wrong'])
  })

  it('ends that as soon as deliveries are accepted again, and begins to count anew', async () => {
    const alerts = await start({ intervalMs: 15_000 })
    const refuse = async (count: number) => {
      const before = (await ledger.refused(dayMs))[0]?.count ?? 0
      for (let n = 0; n < count; n += 1) ledger.reject({ reason: 'token_invalid', bytes: 1 })
      // They are recorded in batches, a second each.
      await expect.poll(async () => (await ledger.refused(dayMs))[0]?.count, { timeout: 5_000 }).toBe(before + count)
    }
    await refuse(99)
    now += 30_000
    await refuse(1)
    await look(alerts, 0)
    await look(alerts, 30_000)
    expect(await alerts.read()).toMatchObject({ open: [{ fault: { code: 'secret_wrong' } }] })
    await ledger.accept(aDelivery())
    await look(alerts)
    expect((await alerts.read()).open).toEqual([])
    now += minuteMs
    await refuse(9)
    for (let n = 0; n < rest; n += 1) await look(alerts, 15_000)
    expect(told()).toEqual(['secret_wrong opened', 'secret_wrong over'])
    expect(bodies().at(-1)?.text).toBe('pawl: over after 30 s: Deliveries have been refused')
    now += hourMs
    await refuse(10)
    await look(alerts)
    expect(told()).toHaveLength(3)
  })

  it('opens one for a system that is away for longer than a moment, with its newest error, and says for how long once it is back', async () => {
    let error: { code: string; message: string; httpStatus?: number } | undefined = {
      code: 'ehr_write_failed',
      message: '',
    }
    let forMs = minuteMs
    const alerts = await start({ readAway: () => (error === undefined ? [] : [{ system: 'ehr', forMs, error }]) })
    await look(alerts)
    expect(codes()).toEqual([])
    forMs = 2 * minuteMs
    await look(alerts)
    expect(codes()).toEqual(['away'])
    error = { code: 'ehr_write_failed', message: '', httpStatus: 401 }
    for (forMs = 3 * minuteMs; forMs <= 20 * minuteMs; forMs += minuteMs) await look(alerts)
    expect((await alerts.read()).open).toMatchObject([{ fault: { code: 'login_refused' } }])
    error = undefined
    await lookLong(alerts)
    await lookLong(alerts)
    expect(told()).toEqual(['away opened', 'login_refused opened', 'away over', 'login_refused over'])
    expect(bodies().at(-1)?.text).toMatch(/over after 20 min: The chart has refused pawl's login$/)
  })

  it('opens another at once for a system that was away and now refuses pawl, and keeps both while it does either', async () => {
    const fails = (httpStatus: number, forMs: number) => [
      { system: 'ehr', forMs, error: { code: 'ehr_write_failed', message: '', httpStatus } },
    ]
    let away = fails(500, 2 * minuteMs)
    const alerts = await start({ readAway: () => away, intervalMs: 15_000 })
    await look(alerts, 15_000)
    const pass = async (httpStatus: number, forMs: number) => {
      away = fails(httpStatus, forMs)
      await look(alerts, 15_000)
    }
    await pass(401, 10_000)
    expect(told()).toEqual(['away opened', 'login_refused opened'])
    const [, refused] = bodies().flatMap(({ alerts: sent }) => sent)
    expect(refused).toMatchObject({ began_at: new Date(now - 10_000).toISOString(), severity: 'bad' })
    for (const status of [500, 401, 500, 401]) await pass(status, 10_000)
    expect((await alerts.read()).open.map(({ fault }) => fault.code)).toEqual(['away', 'login_refused'])
    away = []
    for (let n = 0; n < 2 * rest; n += 1) await look(alerts, 15_000)
    expect(bodies().at(-1)?.text).toMatch(
      /over after 3 min: The chart has been away\n- over after 70 s: The chart has refused pawl's login/,
    )
  })

  it('opens one for a system that refuses kinds of request, once for all of them, and not while all of it is away', async () => {
    const error = { code: 'ehr_write_failed', message: '', httpStatus: 403 }
    const tasks = { system: 'ehr', request: 'PUT /Task', forMs: 2 * minuteMs, error }
    let seen: Parameters<typeof start>[0] = { readAway: () => [tasks, { ...tasks, request: 'POST /Communication' }] }
    const alerts = await start({ readAway: () => seen?.readAway?.() ?? [] })
    await look(alerts)
    expect((await alerts.read()).open).toMatchObject([{ kind: 'refuses', count: 2, httpStatus: 403 }])
    seen = { readAway: () => [{ system: 'ehr', forMs: 2 * minuteMs, error }, tasks] }
    for (let n = 0; n < 5; n += 1) await look(alerts)
    expect((await alerts.read()).open.map(({ kind }) => kind)).toEqual(['away'])
  })

  it('opens one for a forgotten pause', async () => {
    const alerts = await start()
    await ledger.pause({ kind: 'handler', name: 'chart' }, act)
    await ledger.pause({ kind: 'all', name: '' }, act)
    await look(alerts, 4 * hourMs - 1)
    expect(codes()).toEqual([])
    await look(alerts)
    expect(codes()).toEqual(['paused', 'paused'])
  })

  it('tells the head of the audit trail where that is asked for: once a day, by one of all processes, and never as open', async () => {
    const headOf = async () => {
      const { head } = await ledger.auditState()
      return `${head?.id}:${head?.hash}`
    }
    const sent = () =>
      bodies().flatMap(({ text, alerts }) => (alerts.some(({ change }) => change === 'notice') ? [text] : []))
    await look(await start())
    expect(codes()).toEqual([])
    const heads = [await headOf()]
    const daily = { limits: { ...limits, auditHeadMs: dayMs } }
    const alerts = [await start(daily), await start(daily)]
    for (let round = 0; round < 4; round += 1) for (const each of alerts) await look(each, 2 * hourMs)
    await ledger.audit({ actor: act.actor, action: 'process.start' })
    heads.push(await headOf())
    const restarted = await start(daily)
    await look(restarted)
    expect(sent()).toHaveLength(1)
    for (let round = 0; round < 3; round += 1) await look(restarted, 6 * hourMs)
    expect(sent()).toHaveLength(2)
    expect(sent()[0]).toContain(`pawl audit verify --head ${heads[0]}`)
    expect(sent()[1]).toContain(`pawl audit verify --head ${heads[1]}`)
    expect((await restarted.read()).open.map(({ kind }) => kind)).not.toContain('audit_head')
  })

  it('opens one for a queue whose server does not answer', async () => {
    let forMs = 119_000
    const alerts = await start({ readQueueOutage: () => ({ forMs, code: 'ECONNREFUSED' }) })
    await look(alerts)
    expect(codes()).toEqual([])
    forMs = 120_000
    await look(alerts)
    expect(codes()).toEqual(['queue'])
  })

  it('says how long a fault lasted, without the minute in which its alert is kept', async () => {
    let forMs: number | undefined = 64_000
    const readQueueOutage = () => (forMs === undefined ? undefined : { forMs, code: 'ECONNREFUSED' })
    const alerts = await start({ readQueueOutage, limits: { ...limits, awayMs: minuteMs }, intervalMs: 15_000 })
    await look(alerts, 15_000)
    forMs = 79_000
    await look(alerts, 15_000)
    forMs = undefined
    // As of a restart in between.
    const next = await start({ intervalMs: 15_000 })
    for (let n = 0; n < 2 * rest; n += 1) await look(next, 15_000)
    expect(bodies().at(-1)?.text).toBe("pawl: over after 79 s: The queue's server has not answered")
  })

  it('tells of a lock that is gone as over, once, and of a full disk no longer than it is full', async () => {
    const turned = [
      { code: 'ledger_locked', count: 12, forMs: 40_000, lastAgoMs: 5_000 },
      { code: 'disk_full', count: 12, forMs: 40_000, lastAgoMs: 5_000 },
    ]
    let state: 'full' | 'enough' = 'full'
    const readDiskRoom = () => Promise.resolve({ state, freeBytes: 1 })
    const alerts = await start({ readTurnedAway: () => turned, readBlocked: () => undefined, readDiskRoom })
    await look(alerts, 0)
    expect(told()).toEqual(['turned_away_locked over, disk_full opened'])
    expect(bodies()[0]?.text).toContain('- over after 35 s: Deliveries have been turned away\n-')
    state = 'enough'
    await look(alerts, 0)
    expect((await alerts.read()).open).toEqual([])
    turned.length = 0
    await lookLong(alerts)
    expect(told().slice(1)).toEqual(['disk_full over'])
  })

  it('opens one for deliveries that are turned away: at once for a full disk, otherwise where they are many', async () => {
    const turned = [
      { code: 'disk_full', count: 1, forMs: 12_000, lastAgoMs: 0 },
      { code: 'too_many_in_flight', count: 9, forMs: 0, lastAgoMs: 0 },
    ]
    const alerts = await start({ readTurnedAway: () => turned })
    await look(alerts)
    expect(codes()).toEqual(['disk_full'])
    expect(alerts.last().open.map(({ beganAt, openedAt }) => openedAt - beganAt)).toEqual([12_000])
    turned[1] = { code: 'too_many_in_flight', count: 10, forMs: 0, lastAgoMs: 0 }
    await look(alerts)
    expect((await alerts.read()).open).toHaveLength(2)
  })

  it('opens one for a rate limit that is nearly spent, unless it has begun anew since', async () => {
    const reading = {
      policy: 'read-endpoint-minute',
      endpoint: 'GET /prior-authorization/{id}',
      quota: 100,
      remaining: 5,
      resetMs: 60_000,
      agoMs: 0,
    }
    let readings: LimitReading[] = [{ ...reading, agoMs: 60_001 }]
    const alerts = await start({ readBudgets: () => readings })
    await look(alerts)
    readings = [{ ...reading, remaining: 60 }]
    await look(alerts)
    expect(codes()).toEqual([])
    readings = [{ ...reading, remaining: 60 }, reading]
    await look(alerts)
    expect(codes()).toEqual(['budget'])
  })

  it('opens one for old contents that are not deleted, but not for a clock that was set', async () => {
    const alerts = await start()
    await look(alerts)
    await look(alerts, 25 * hourMs)
    expect(codes()).toEqual([])
    for (let n = 0; n < 66; n += 1) await look(alerts)
    expect(codes()).toEqual(['retention'])
  })

  it('opens one for a pharmacy that reads the feed and acknowledges no notice, until it does', async () => {
    const alerts = await start()
    await ledger.accept(aDelivery())
    const claim = await ledger.claim('pa_req_1', 60_000, { prior_authorization: ['h'] })
    if (claim === undefined) throw new Error('not claimed')
    await ledger.publish(claim, { id: 'msg_1', reader: '1234567', text: '{}' })
    await look(alerts)
    await ledger.release(claim, { notes: [], dueInMs: undefined, restMs: 0 })
    expect(codes()).toEqual([])
    await look(alerts, 5 * hourMs)
    expect(bodies()[0]?.alerts).toMatchObject([{ code: 'unacknowledged', count: 1, resource_id: 'pa_req_1' }])
    await ledger.acknowledge({ name: 'corner', ncpdpIds: ['1234567'] }, 'msg_1')
    await lookLong(alerts)
    expect(told()).toEqual(['unacknowledged opened', 'unacknowledged over'])
  })

  it('opens one for a backup that is missing or too old', async () => {
    const backup = { path: join(folder, 'backups'), maxAgeMs: 26 * hourMs }
    const alerts = await start({ limits: { ...limits, backup } })
    await look(alerts)
    await writeFile(backup.path, '')
    await utimes(backup.path, now / 1_000, now / 1_000)
    await lookLong(alerts)
    await look(alerts, 27 * hourMs)
    expect(told()).toEqual(['no_backup opened', 'no_backup over', 'old_backup opened'])
  })
})
