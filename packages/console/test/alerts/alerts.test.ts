import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { Sqlite } from '../../../base/src/sqlite.ts'
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
    targets: await targetsFrom({ url, slack: undefined, email: undefined, ...targets }, clock),
    log: capture.log,
    ...deps,
  })
  onTestFinished(() => alerts.close(1_000))
  return alerts
}

/** Lets so much time pass, then looks. */
async function look(alerts: Alerts, ms = minuteMs): Promise<void> {
  now += ms
  passed += ms
  await alerts.round()
}

const fail = (...work: FailedWork[]) =>
  work.reduce((before, each) => before.then(() => failWork(ledger, each)), Promise.resolve())
// Bodies that the target under test sends.
const bodies = () =>
  hook.requests.map(({ body }) => JSON.parse(body) as { type: string; data: { text: string; alerts: object[] } })
const types = () => bodies().map(({ type }) => type)

describe('work that fails', () => {
  it('is told of at 50, 70 and 90 % of its attempts and when it is parked, once each', async () => {
    const alerts = await start()
    for (const attempts of [1, 4, 5, 6, 7, 8, 9]) {
      await fail({ id: `pa_req_${attempts}`, errorCode: 'chart_locked', attempts })
      await look(alerts)
      await look(alerts)
    }
    await fail({ id: 'pa_req_10', errorCode: 'chart_locked', isParked: true, attempts: 10 })
    await look(alerts)
    await fail({ id: 'pa_req_11', errorCode: 'chart_locked', isParked: true, attempts: 10 })
    await look(alerts)
    expect(types()).toEqual(['alert.opened', 'alert.escalated', 'alert.escalated', 'alert.escalated'])
    expect(bodies().map(({ data }) => data.alerts[0])).toMatchObject([
      { level: 50, resource_id: 'pa_req_5', command: 'pawl due --handler chart --error chart_locked' },
      { level: 70, resource_id: 'pa_req_7' },
      { level: 90, resource_id: 'pa_req_9' },
      { level: 100, count: 1, command: 'pawl retry --handler chart --error chart_locked' },
    ])
  })

  it('is told of again when 10, 100 and 1,000 are parked', async () => {
    const alerts = await start()
    let parked = 0
    for (const upTo of [1, 9, 10, 12, 105, 334]) {
      const more = Array.from({ length: upTo - parked }, (_, n) => `pa_req_${parked + n}`)
      await Promise.all(more.map((id) => failWork(ledger, { id, errorCode: 'chart_locked', isParked: true })))
      parked = upTo
      await look(alerts)
      await look(alerts)
    }
    expect(types()).toEqual(['alert.opened', 'alert.escalated', 'alert.escalated'])
    expect(bodies().map(({ data }) => data.alerts[0])).toMatchObject([{ count: 1 }, { count: 10 }, { count: 105 }])
    expect((await alerts.read()).open).toMatchObject([{ title: 'chart: 334 parked with chart_locked' }])
    const columns = 'handler, state, handled_event_id, tried_event_id, attempts, parked_at, error_code, failure_id'
    await execute(
      `file:${join(folder, 'pawl.db')}`,
      `insert into progress (resource, ${columns}) select resource + 1000 * n, ${columns} from progress, (select 1 as n union select 2)`,
    )
    await look(alerts)
    await look(alerts)
    expect(bodies().map(({ data }) => data.alerts[0])).toMatchObject([{}, {}, {}, { count: 1_002 }])
    expect(types()).toHaveLength(4)
  })

  it('counts those alone that have used as many attempts as it says', async () => {
    const alerts = await start()
    for (let n = 0; n < 30; n += 1) await fail({ id: `pa_req_${n}`, errorCode: 'chart_locked', attempts: 1 })
    await fail({ id: 'pa_late_1', errorCode: 'chart_locked', attempts: 7 })
    await fail({ id: 'pa_late_2', errorCode: 'chart_locked', attempts: 8 })
    await look(alerts)
    expect((await alerts.read()).open).toMatchObject([
      { level: 70, count: 2, title: 'chart: 2 failing with chart_locked have used 70 % of the attempts' },
    ])
  })

  it('at one system is one alert, however many handlers fail there', async () => {
    const alerts = await start()
    for (const handler of ['chart', 'desk', 'fax'])
      await fail({ id: `pa_${handler}`, handler, errorCode: 'ehr_write_failed', system: 'ehr', isParked: true })
    await fail({ id: 'pa_own', handler: 'fax', errorCode: 'unexpected', isParked: true })
    await look(alerts)
    expect((await alerts.read()).open).toMatchObject([
      {
        kind: 'work_at_system',
        title: 'at the system ehr: 3 parked with ehr_write_failed',
        command: 'pawl retry --error ehr_write_failed',
        page: '/parked?system=ehr&error=ehr_write_failed',
      },
      { kind: 'work', title: 'fax: 1 parked with unexpected' },
    ])
  })

  it('that failed before any handler ran is one alert, however many handlers it has', async () => {
    const alerts = await start()
    for (const handler of ['chart', 'desk', 'fax'])
      await fail({ id: `pa_${handler}`, handler, errorCode: 'never_given_back', isParked: true })
    await look(alerts)
    expect((await alerts.read()).open).toMatchObject([
      {
        title: 'before any handler: 3 parked with never_given_back',
        command: 'pawl retry --error never_given_back',
        page: '/parked?error=never_given_back',
      },
    ])
  })

  it('that waits for a pause or a system is no failure', async () => {
    const alerts = await start()
    await ledger.pause({ kind: 'handler', name: 'chart' }, act)
    await fail({ id: 'pa_req_1', errorCode: 'handler_paused', attempts: 9 })
    await fail({ id: 'pa_req_2', errorCode: 'system_down', system: 'ehr', attempts: 9 })
    await look(alerts)
    expect((await alerts.read()).open).toEqual([])
  })

  it('is over once it was not found for four rounds, and that is told', async () => {
    const alerts = await start()
    await fail({ id: 'pa_req_1', errorCode: 'chart_locked', isParked: true })
    await look(alerts)
    await ledger.discard([{ resourceId: 'pa_req_1', handler: 'chart' }], { ...act, reason: 'done by hand' })
    for (let round = 0; round < 3; round += 1) await look(alerts)
    expect(types()).toEqual(['alert.opened'])
    await look(alerts)
    await look(alerts)
    expect(types()).toEqual(['alert.opened', 'alert.recovered'])
    expect(await alerts.read()).toMatchObject({ open: [] })
    expect(await alerts.list(10)).toMatchObject([{ kind: 'work', closedAt: expect.any(Number) as number }])
  })

  it('of 500 resources with 40 codes gives one summary, and however it goes on no more than 12 messages an hour', async () => {
    const alerts = await start({ maxPerHour: 12 })
    const flood = Array.from({ length: 500 }, (_, n) => ({
      id: `pa_req_${n}`,
      errorCode: `code_${n % 40}`,
      isParked: true,
    }))
    await Promise.all(flood.map((each) => failWork(ledger, each)))
    await look(alerts)
    expect(types()).toEqual(['alert.summary'])
    expect(bodies()[0]?.data.alerts).toHaveLength(40)
    expect(bodies()[0]?.data.text.split('\n')).toHaveLength(41)
    for (let n = 0; n < 58; n += 1) {
      await fail({ id: `pa_more_${n}`, errorCode: `more_${n}`, isParked: true })
      await look(alerts)
    }
    expect(hook.requests).toHaveLength(12)
    expect(bodies().at(-1)?.data.text).toContain('12 messages within the hour: further messages wait')
    await look(alerts, hourMs)
    expect(hook.requests).toHaveLength(13)
    expect(types().at(-1)).toBe('alert.summary')
    expect(await ledger.alertTargets(['url'])).toMatchObject([{ waiting: 0 }])
  })
})

describe('a message', () => {
  it('is signed, has ids and codes alone, a command and a link', async () => {
    const alerts = await start({ adminUrl: 'https://pawl.clinic.example/' })
    await fail({ id: 'pa_req_1', errorCode: 'chart_locked', isParked: true })
    await fail({ id: 'pa_req_2', errorCode: 'Testa Sample', isParked: true })
    await look(alerts)
    const [first] = hook.requests
    // Its headers are strings: none of them comes twice.
    const verified = new Webhook(secret).verify(first?.body ?? '', first?.headers as Record<string, string>)
    expect(verified).toMatchObject({ type: 'alert.opened', data: { subject: 'pawl: chart: 1 parked with ?' } })
    expect(hook.requests.map(({ body }) => body).join('\n')).not.toContain('Testa')
    expect(bodies()[1]?.data.alerts).toMatchObject([
      {
        title: 'chart: 1 parked with chart_locked',
        link: 'https://pawl.clinic.example/parked?handler=chart&error=chart_locked',
      },
    ])
    expect(capture.text()).not.toContain('Testa')
  })

  it('goes to Slack and to a mail server, too', async () => {
    const mails = await startMailServer()
    onTestFinished(() => mails.close())
    const email = {
      to: ['call@clinic.example'],
      from: 'pawl@clinic.example',
      smtpUrl: `smtp://127.0.0.1:${mails.port}`,
    }
    const alerts = await start({}, { url: undefined, slack: `${hook.url}/slack`, email })
    await fail({ id: 'pa_req_1', errorCode: 'chart_locked', isParked: true })
    await look(alerts)
    expect(hook.requests.map(({ path, body }) => [path, JSON.parse(body)])).toEqual([
      ['/slack', { text: expect.stringContaining('pawl: chart: 1 parked with chart_locked\n') as string }],
    ])
    expect(mails.mails).toHaveLength(1)
    expect(mails.mails[0]?.text).toContain('Subject: pawl: chart: 1 parked with chart_locked')
    expect(mails.mails[0]?.text).toContain('pawl retry --handler chart --error chart_locked')
  })

  it('of a test says what each target answered', async () => {
    status = 404
    const email = { to: ['call@clinic.example'], from: 'pawl@clinic.example', smtpUrl: 'smtp://127.0.0.1:9' }
    const alerts = await start({}, { email })
    expect(await alerts.test()).toEqual([
      { target: 'url', ok: false, code: 'http_404' },
      { target: 'email', ok: false, code: expect.stringMatching(/^[A-Z]+$/) as string },
    ])
    expect(types()).toEqual(['alert.test'])
  })

  it('does not follow a redirect', async () => {
    const elsewhere = await startFarSide(() => ({ status: 200, body: '' }))
    onTestFinished(elsewhere.close)
    status = 302
    const alerts = await start()
    expect(await alerts.test()).toMatchObject([{ ok: false, code: 'http_302' }])
  })
})

describe('a target that takes nothing', () => {
  it('is tried again later and later, told of by the others, and hears of all once it is back', async () => {
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
      { name: 'email', isDead: false, waiting: 0 },
    ])
    expect(mails.mails.map(({ text }) => /^Subject: (.*)$/m.exec(text)?.[1]?.trim())).toEqual([
      'pawl: chart: 1 parked with chart_locked',
      'pawl: alerts do not reach the target url: 3 attempts failed',
    ])
    expect(capture.lines()).toContainEqual(
      expect.objectContaining({ level: 'error', system: 'url', code: 'http_503', msg: 'alerts do not reach a target' }),
    )
    expect(alerts.last().targets).toMatchObject([{ isDead: true }, { isDead: false }])
    status = 200
    for (let n = 0; n < 30; n += 1) await look(alerts)
    expect((await alerts.read()).targets).toMatchObject([{ isDead: false, failures: 0, waiting: 0 }, {}])
    expect(types().slice(4)).toEqual(['alert.opened', 'alert.opened', 'alert.recovered'])
  })
})

describe('several processes, and one after the other', () => {
  it('send each message once', async () => {
    const processes = [await start(), await start(), await start()]
    for (let n = 0; n < 3; n += 1) {
      await fail({ id: `pa_req_${n}`, errorCode: `code_${n}`, isParked: true })
      now += minuteMs
      passed += minuteMs
      await Promise.all(processes.map((each) => each.round()))
    }
    await look(processes[0] ?? (await start()))
    expect(bodies().map(({ data }) => data.alerts)).toMatchObject(
      [0, 1, 2].map((n) => [{ subject: `chart code_${n}` }]),
    )
  })

  it('send nothing again after a restart', async () => {
    await fail({ id: 'pa_req_1', errorCode: 'chart_locked', isParked: true })
    await look(await start())
    const next = await start()
    for (let n = 0; n < 6; n += 1) await look(next)
    expect(types()).toEqual(['alert.opened'])
  })

  it('keep open what one of them alone can see', async () => {
    const [sees, other] = [await start({ readAway: () => [{ system: 'ehr', forMs: hourMs }] }), await start()]
    for (let n = 0; n < 8; n += 1) {
      await look(sees)
      await look(other, 0)
    }
    expect(types()).toEqual(['alert.opened'])
    await sees.close(1_000)
    for (let n = 0; n < 6; n += 1) await look(other)
    expect(types()).toEqual(['alert.opened', 'alert.recovered'])
  })

  it('send nothing again, and end nothing, when the clock is set', async () => {
    const alerts = await start()
    await fail({ id: 'pa_req_1', errorCode: 'chart_locked', isParked: true })
    await look(alerts)
    for (const step of [-3 * dayMs, 2 * dayMs, dayMs]) {
      now += step
      await look(alerts)
    }
    expect(types()).toEqual(['alert.opened'])
    await ledger.followClock(1_000)
    await fail({ id: 'pa_req_2', errorCode: 'timeout', isParked: true })
    now -= 3 * dayMs
    await look(alerts)
    expect(types()).toEqual(['alert.opened', 'alert.opened'])
  })
})

describe('further alerts', () => {
  const titles = () => bodies().flatMap(({ data }) => data.text.split('\n')[0])

  it('work that is due for too long', async () => {
    const alerts = await start()
    await ledger.accept(aDelivery())
    for (let n = 0; n < 17; n += 1) await look(alerts)
    expect(titles()).toEqual([])
    await look(alerts)
    expect(titles()).toEqual(['pawl: work has been due for 18 min'])
    expect(bodies()[0]?.data.text).toContain('Work that waits for a pause or a system does not count.')
  })

  it('an audit trail that was altered, until a week after that was noted', async () => {
    const alerts = await start()
    await look(alerts)
    expect(titles()).toEqual([])
    await execute(`file:${join(folder, 'pawl.db')}`, "update audit_head set signature = '0badc0de:x'")
    await look(alerts)
    expect(titles()).toEqual(['pawl: the audit trail was altered'])
    await ledger.audit({ actor: ownActor, action: 'process.start' })
    for (let days = 0; days < 6; days += 1) await look(alerts, dayMs)
    expect((await alerts.read()).open.map(({ kind }) => kind)).toContain('audit')
    for (let days = 0; days < 6; days += 1) await look(alerts, dayMs)
    expect((await alerts.read()).open.map(({ kind }) => kind)).not.toContain('audit')
  })

  it('unverifiable deliveries, with advice', async () => {
    const alerts = await start()
    const refuse = (reason: string) => ledger.reject({ reason, bytes: 1 })
    for (let n = 0; n < 12; n += 1) refuse('wrong_method')
    for (let n = 0; n < 9; n += 1) refuse('token_invalid')
    await ledger.noteOutage('ehr', 1)
    await look(alerts)
    expect(titles()).toEqual([])
    refuse('token_invalid')
    await ledger.noteOutage('ehr', 1)
    while ((await ledger.refused(hourMs)).every(({ reason, count }) => reason !== 'token_invalid' || count < 10))
      await ledger.noteOutage('ehr', 1)
    await look(alerts)
    expect(titles()).toEqual(['pawl: 10 deliveries refused within an hour: token_invalid'])
    expect(bodies()[0]?.data.text).toContain('What about token_invalid?')
  })

  it('a system that is away for longer than a moment', async () => {
    let forMs = 60_000
    const alerts = await start({ readAway: () => [{ system: 'ehr', forMs }] })
    await look(alerts)
    expect(titles()).toEqual([])
    forMs = 120_000
    await look(alerts)
    expect(titles()).toEqual(['pawl: the system ehr is away: its work waits'])
    expect(bodies()[0]?.data.text).toContain('\npawl check')
  })

  it('a system that refuses kinds of request, once for all of them, and not while all of it is away', async () => {
    const error = { code: 'ehr_write_failed', message: 'no: HTTP 403.' }
    const tasks = { system: 'ehr', request: 'PUT /Task', forMs: 2 * minuteMs, error }
    let seen: Parameters<typeof start>[0] = { readAway: () => [tasks, { ...tasks, request: 'POST /Communication' }] }
    const alerts = await start({ readAway: () => seen?.readAway?.() ?? [] })
    await look(alerts)
    expect(titles()).toEqual([
      'pawl: the system ehr refuses 2 kinds of request: work that needs them waits (ehr_write_failed, HTTP 403)',
    ])
    seen = { readAway: () => [{ system: 'ehr', forMs: 2 * minuteMs, error }, tasks] }
    await look(alerts)
    expect(titles()[1]).toBe('pawl: the system ehr is away: its work waits (ehr_write_failed, HTTP 403)')
    expect((await alerts.read()).open.map(({ kind }) => kind)).toEqual(['refuses', 'away'])
    for (let n = 0; n < 4; n += 1) await look(alerts)
    expect((await alerts.read()).open.map(({ kind }) => kind)).toEqual(['away'])
  })

  it('a system with its newest error, and with how long it was away once it is back', async () => {
    let error: { code: string; message: string } | undefined = { code: 'ehr_write_failed', message: 'no: HTTP 503.' }
    let forMs = 2 * minuteMs
    const alerts = await start({ readAway: () => (error === undefined ? [] : [{ system: 'ehr', forMs, error }]) })
    await look(alerts)
    expect(titles()).toEqual(['pawl: the system ehr is away: its work waits (ehr_write_failed, HTTP 503)'])
    error = { code: 'api_unauthorized', message: 'GET /v1/x (401): refused' }
    for (forMs = 3 * minuteMs; forMs <= 20 * minuteMs; forMs += minuteMs) await look(alerts)
    const [shown] = (await alerts.read()).open
    expect(shown).toMatchObject({ title: 'the system ehr is away: its work waits (api_unauthorized, HTTP 401)' })
    expect(shown?.advice).toContain('renew its token')
    error = undefined
    for (let n = 0; n < 6; n += 1) await look(alerts)
    expect(types()).toEqual(['alert.opened', 'alert.recovered'])
    expect(titles().at(-1)).toMatch(/^pawl: over after 2\d min: the system ehr is away/)
  })

  it('a forgotten pause, with the command that ends it', async () => {
    const alerts = await start()
    await ledger.pause({ kind: 'handler', name: 'chart' }, act)
    await ledger.pause({ kind: 'all', name: '' }, act)
    await look(alerts, 4 * hourMs - 1)
    expect(titles()).toEqual([])
    await look(alerts)
    expect(titles()).toEqual(['pawl: handler chart has been paused for 4 h', 'pawl: all work has been paused for 4 h'])
    expect(bodies().map(({ data }) => data.alerts[0])).toMatchObject([
      { kind: 'paused', command: 'pawl resume chart --kind handler' },
      { kind: 'paused', command: 'pawl resume --all' },
    ])
  })

  it('the head of the audit trail where that is asked for: once a day, by one of all processes, and never as open', async () => {
    const headOf = async () => {
      const { head } = await ledger.auditState()
      return `${head?.id}:${head?.hash}`
    }
    const sent = () => bodies().filter(({ type }) => type === 'alert.notice')
    await look(await start())
    expect(types()).toEqual([])
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
    expect(sent().map(({ data }) => data.text.split('\n')[0])).toEqual(
      heads.map((head) => `pawl: the audit trail ends with ${head}`),
    )
    expect(sent()[0]?.data.text).toContain(`\npawl audit verify --head ${heads[0]}`)
    expect((await restarted.read()).open.map(({ kind }) => kind)).not.toContain('audit_head')
  })

  it('a queue whose server does not answer', async () => {
    let forMs = 119_000
    const alerts = await start({ readQueueOutage: () => ({ forMs, code: 'ECONNREFUSED' }) })
    await look(alerts)
    expect(titles()).toEqual([])
    forMs = 120_000
    await look(alerts)
    expect(titles()).toEqual(["pawl: the queue's server does not answer (ECONNREFUSED)"])
  })

  it('an audit trail that was altered, as its next writer found', async () => {
    const alerts = await start()
    await ledger.audit({ actor: act.actor, action: 'process.start' })
    await look(alerts)
    expect(titles()).toEqual([])
    const database = new Sqlite(join(folder, 'pawl.db'))
    database.exec("update audit_head set hash = 'another'")
    database.close()
    await ledger.audit({ actor: act.actor, action: 'process.start' })
    await look(alerts)
    expect(titles()).toEqual(['pawl: the audit trail was altered'])
    expect(bodies()[0]?.data.text).toContain('\npawl audit verify')
  })

  it('the service that is away, with the command that asks it', async () => {
    await look(await start({ readAway: () => [{ system: 'api', forMs: 120_000 }] }))
    expect(titles()).toEqual(['pawl: the system api is away: its work waits'])
    expect(bodies()[0]?.data.text).toContain('\npawl doctor')
  })

  it('deliveries that are turned away: one for a full disk, others where they are many', async () => {
    const turned = [
      { code: 'disk_full', count: 1, forMs: 12_000 },
      { code: 'too_many_in_flight', count: 9, forMs: 0 },
    ]
    const alerts = await start({ readTurnedAway: () => turned })
    await look(alerts)
    expect(titles()).toEqual(['pawl: 1 delivery turned away: disk_full'])
    expect(alerts.last().open.map(({ beganAt, openedAt }) => openedAt - beganAt)).toEqual([12_000])
    turned[1] = { code: 'too_many_in_flight', count: 10, forMs: 0 }
    await look(alerts)
    expect(titles()[1]).toBe('pawl: 10 deliveries turned away: too_many_in_flight')
  })

  it('a rate limit that is nearly spent, unless it has begun anew since', async () => {
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
    expect(titles()).toEqual([])
    readings = [{ ...reading, remaining: 60 }, reading]
    await look(alerts)
    expect(titles()).toEqual(['pawl: the rate limit read-endpoint-minute is nearly spent: 5 % left'])
  })

  it('old contents that are not deleted, but not a clock that was set', async () => {
    const alerts = await start()
    await look(alerts)
    await look(alerts, 25 * hourMs)
    expect(titles()).toEqual([])
    for (let n = 0; n < 66; n += 1) await look(alerts)
    expect(titles()).toEqual(['pawl: old contents have not been deleted for 26 h'])
  })

  it('a pharmacy that reads the feed and acknowledges no notice, until it does', async () => {
    const alerts = await start()
    await ledger.accept(aDelivery())
    const claim = await ledger.claim('pa_req_1', 60_000, { prior_authorization: ['h'] })
    if (claim === undefined) throw new Error('not claimed')
    await ledger.publish(claim, { id: 'msg_1', reader: '1234567', text: '{}' })
    await look(alerts)
    await ledger.release(claim, { notes: [], dueInMs: undefined, restMs: 0 })
    expect(titles()).toEqual([])
    await look(alerts, 5 * hourMs)
    expect(titles()).toEqual(['pawl: the pharmacy 1234567 has not acknowledged 1 transfer, such as pa_req_1'])
    await ledger.acknowledge({ name: 'corner', ncpdpIds: ['1234567'] }, 'msg_1')
    for (let n = 0; n < 5; n += 1) await look(alerts)
    expect(titles().at(-1)).toMatch(/over after .*: the pharmacy 1234567/)
  })

  it('a backup that is missing or too old', async () => {
    const backup = { path: join(folder, 'backups'), maxAgeMs: 26 * hourMs }
    const alerts = await start({ limits: { ...limits, backup } })
    await look(alerts)
    await writeFile(backup.path, '')
    await utimes(backup.path, now / 1_000, now / 1_000)
    for (let n = 0; n < 6; n += 1) await look(alerts)
    await look(alerts, 27 * hourMs)
    expect(titles()).toEqual([
      'pawl: there is no backup',
      'pawl: over after 5 min: there is no backup',
      'pawl: the newest backup is 27 h old',
    ])
  })
})
