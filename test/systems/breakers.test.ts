import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { defineHandler } from '#pawl'
import { ApiUnauthorized, ApiUnavailable } from '../../packages/client/src/api/api-errors.ts'
import { WriteFailed } from '../../packages/connector/src/write-failed.ts'
import { createFhirEhr } from '../../packages/ehr/src/fhir/fhir-ehr.ts'
import { type Breakers, createBreakers } from '../../src/systems/breakers.ts'
import { type FhirServer, startFhirServer } from '../../packages/testing/src/services/fhir-server.ts'
import { type LineRequest, startLine } from '../../packages/testing/src/lines/line.ts'
import { act } from '../support/act.ts'
import { captureLog, type LogCapture } from '../support/log-capture.ts'
import { createScriptedApi, type ScriptedApi } from '../support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../support/start-local-gateway.ts'
import { runCommand } from '../support/run-command.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'

const resources = 12

const unavailable = new ApiUnavailable({ method: 'GET', route: '/status' }, 'backoff')

const chart = defineHandler({
  name: 'chart',
  on: ['prior_authorization.status_change'],
  async handle({ resource, ehr }) {
    await ehr.putPriorAuthorization(resource)
  },
})

let fhir: FhirServer
let service: ScriptedApi
let gateway: LocalGateway
let gatewayLog: LogCapture

beforeEach(async () => {
  fhir = await startFhirServer()
  service = createScriptedApi({ patient: { internal_id: 'patient-1' } })
  gatewayLog = captureLog()
  gateway = await startLocalGateway(
    {
      log: gatewayLog.log,
      api: service.api,
      ehr: createFhirEhr({ baseUrl: fhir.url, identifierBase: 'https://pawl.example' }),
      handlers: [chart],
    },
    // So few attempts that an outage which cost any beyond those that find it out would park the work.
    { RETRY_ATTEMPTS: '8', RETRY_BASE_MS: '1', RETRY_MAX_MS: '20', BREAKER_COOLDOWN_MS: '30' },
  )
})
afterEach(async () => {
  await gateway.destroy()
  await fhir.close()
})

const ready = async () =>
  (await (await fetch(`${gateway.adminUrl}/readyz`)).json()) as {
    breakers: { api: string; ehr: string }
    away: { system: string; request?: string }[]
  }

it('an EHR outage longer than all backoff parks nothing, and all work syncs once it is over', async () => {
  fhir.setDown(true)
  // All at once: what one resource meets alone counts against that resource.
  const ids = Array.from({ length: resources }, (_, n) => `pa_req_${n}`)
  await Promise.all(ids.map((id) => deliver(gateway.url, envelope({ id }))))
  await until('the breaker is open', async () => (await ready()).breakers.ehr !== 'closed')
  const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
  expect(metrics).toMatch(/pawl_breaker_open\{system="ehr"\} (1|0\.5)/)
  const asked = () => [...fhir.requests.values()].reduce((sum, count) => sum + count, 0)
  const before = asked()
  await until('it was asked again and again', () => asked() - before > 8)
  expect((await gateway.ledger.counts()).parked).toBe(0)
  fhir.setDown(false)
  await until('all in sync', async () => (await gateway.ledger.counts()).due === 0)
  expect(await fhir.search('Task')).toHaveLength(resources)
  expect((await ready()).breakers.ehr).toBe('closed')
})

it('an outage is logged once, with its reason, however long it lasts and however much work waits', async () => {
  const lines = (message: string) => gatewayLog.lines().filter(({ msg }) => msg === message)
  failReads(() => true)
  await Promise.all(Array.from({ length: resources }, (_, n) => deliver(gateway.url, envelope({ id: `pa_req_${n}` }))))
  await until('it was asked again and again', () => lines('a system is still away').length > 2)
  failReads(() => false)
  await until('all in sync', async () => (await gateway.ledger.counts()).due === 0)
  expect(lines('a system is away: its work waits')).toMatchObject([
    { level: 'warn', system: 'api', error: { code: 'api_unavailable' } },
  ])
  expect(lines('a system is back')).toMatchObject([{ level: 'info', system: 'api' }])
  const loud = gatewayLog.lines().filter(({ level }) => level !== 'debug')
  expect(loud.filter(({ error }) => JSON.stringify(error)?.includes('system_down'))).toEqual([])
})

it('one resource that the EHR refuses opens no breaker and parks alone', async () => {
  const refused = defineRefusal()
  await deliver(gateway.url, envelope({ id: 'pa_req_0' }))
  await until('parked', async () => (await gateway.ledger.counts()).parked === 1)
  for (let n = 1; n < resources; n += 1) await deliver(gateway.url, envelope({ id: `pa_req_${n}` }))
  await until('the others in sync', async () => (await gateway.ledger.counts()).due === 0)
  expect((await gateway.ledger.work({ state: 'parked' }, 10)).rows).toMatchObject([
    { resourceId: 'pa_req_0', errorCode: 'ehr_write_failed' },
  ])
  expect((await ready()).breakers.ehr).toBe('closed')
  expect(refused).toBe(422)
})

/** The next PA that reaches the chart is refused for good. */
function defineRefusal(): number {
  fhir.failNext(422, { of: 'PUT Task' })
  return 422
}

/** From now on, the API answers GETs of these with 500. */
function failReads(isConcerned: (id: string) => boolean): void {
  service.before = (id) => {
    if (isConcerned(id)) throw unavailable
  }
}

it('one resource that the API always answers with 500 opens no breaker and parks, even with no other work', async () => {
  failReads((id) => id === 'pa_req_poison')
  await deliver(gateway.url, envelope({ id: 'pa_req_poison' }))
  await until('parked', async () => (await gateway.ledger.counts()).parked === 1)
  expect((await ready()).breakers.api).toBe('closed')
})

it('a breaker opened by an outage closes despite one failing resource, which is parked while others pass', async () => {
  const ids = ['pa_req_poison', 'pa_req_1']
  const asked = new Map<string, number>()
  service.before = async (id) => {
    const turn = (asked.get(id) ?? 0) + 1
    asked.set(id, turn)
    // Each fails twice before any fails a third time: neither uses up its attempts while the other has yet to begin.
    if (turn <= 2) await until('both have asked', () => ids.every((each) => (asked.get(each) ?? 0) >= turn))
    throw unavailable
  }
  await Promise.all(ids.map((id) => deliver(gateway.url, envelope({ id }))))
  await until('the breaker is open', async () => (await ready()).breakers.api !== 'closed')
  failReads((id) => id === 'pa_req_poison')
  await until('the one is parked', async () => (await gateway.ledger.counts()).parked === 1)
  await deliver(gateway.url, envelope({ id: 'pa_req_2' }))
  await until('the others are in sync', async () => (await gateway.ledger.counts()).due === 0)
  expect((await gateway.ledger.work({ state: 'parked' }, 10)).rows).toMatchObject([
    { resourceId: 'pa_req_poison', errorCode: 'api_unavailable' },
  ])
  expect((await ready()).breakers.api).toBe('closed')
})

it('two resources that always fail, with no other work, keep a breaker open, shown at /readyz and /metrics, and other work passes it', async () => {
  await gateway.destroy()
  const watch = defineHandler({ name: 'watch', on: ['prior_authorization.status_change'], handle: async () => {} })
  gateway = await startLocalGateway(
    { api: service.api, handlers: [watch] },
    { RETRY_ATTEMPTS: '1000', RETRY_BASE_MS: '1', RETRY_MAX_MS: '20', BREAKER_COOLDOWN_MS: '30' },
  )
  failReads((id) => id.startsWith('pa_req_poison'))
  await Promise.all(['pa_req_poison_1', 'pa_req_poison_2'].map((id) => deliver(gateway.url, envelope({ id }))))
  const isShown = async () => (await ready()).breakers.api !== 'closed'
  await until('the breaker is open', isShown, 30_000)
  const before = service.reads.length
  await until('it was asked again and again', () => service.reads.length > before + 5, 30_000)
  expect(await isShown()).toBe(true)
  const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
  expect(metrics).toMatch(/pawl_breaker_open\{system="api"\} (1|0\.5)/)
  await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
  const state = async () => (await gateway.ledger.resource('pa_req_1'))?.progress[0]?.state
  await until('other work passes', async () => (await state()) === 'synced', 30_000)
}, 150_000)

it.each([
  ['everything from the EHR', () => true, /./],
  ['everything but patients from the EHR', ({ path }: LineRequest) => !/\/(Patient|metadata)\b/.test(path), /Task$/],
])('a 403 for %s parks nothing, and all work syncs once the scope is back', async (_, isConcerned, refused) => {
  const scope = await startWithoutScope(isConcerned, { BREAKER_COOLDOWN_MS: '500' })
  const ids = Array.from({ length: resources }, (_, n) => `pa_req_${n}`)
  await Promise.all(ids.map((id) => deliver(gateway.url, envelope({ id }))))
  const { request } = await until('it is known', async () =>
    (await ready()).away.find(({ system }) => system === 'ehr'),
  )
  expect(request ?? 'all of it').toMatch(refused)
  scope.grant()
  await until('all in sync', async () => (await gateway.ledger.counts()).due === 0)
  expect((await gateway.ledger.counts()).parked).toBe(0)
  expect(await fhir.search('Task')).toHaveLength(resources)
  await scope.close()
})

/** Starts the gateway anew, with a chart that answers these requests with 403 until the scope is granted. */
async function startWithoutScope(isConcerned: (asked: LineRequest) => boolean, env: Record<string, string>) {
  await gateway.destroy()
  let isScopeMissing = true
  const { origin, pathname } = new URL(fhir.url)
  const line = await startLine({
    system: 'chart',
    target: origin,
    before: async (asked) =>
      isScopeMissing && isConcerned(asked)
        ? { status: 403, headers: {}, body: '{"resourceType":"OperationOutcome"}' }
        : undefined,
  })
  const baseUrl = `${line.url(0)}${pathname}`
  gateway = await startLocalGateway(
    { api: service.api, handlers: [chart], ehr: createFhirEhr({ baseUrl, identifierBase: 'https://pawl.example' }) },
    { RETRY_ATTEMPTS: '2', RETRY_BASE_MS: '1', ...env },
  )
  return { grant: () => void (isScopeMissing = false), close: line.close }
}

/** Breakers of processes that share a ledger, with a time that only the test moves. Much longer than a test: the ledger goes by the machine's clock. */
const longMs = 600_000

function startProcesses(count: number, cooldownMs = longMs) {
  const time = { nowMs: 0 }
  const captures = Array.from({ length: count }, () => captureLog())
  const processes = captures.map(({ log }) =>
    createBreakers({
      systems: ['api', 'billing'],
      cooldownMs,
      outages: gateway.ledger,
      log,
      elapsed: () => time.nowMs,
    }),
  )
  const said = () => captures.map((each) => each.lines().filter(({ level }) => level !== 'debug'))
  return { time, processes, said, close: () => processes.forEach((each) => each.close()) }
}

function startProcess(cooldownMs?: number) {
  const {
    processes: [breakers],
    ...rest
  } = startProcesses(1, cooldownMs)
  if (breakers === undefined) throw new Error('one process')
  return { breakers, ...rest }
}

function startTwoProcesses() {
  const {
    processes: [finder, other],
    ...rest
  } = startProcesses(2)
  if (finder === undefined || other === undefined) throw new Error('two processes')
  return { finder, other, ...rest }
}

/** Calls a system by one request, which is answered where `act` resolves. */
function ask<T>(breakers: Breakers, system: string, id: string, act: () => Promise<T>, request = 'GET /status') {
  return breakers.call(system, id, async (call) => {
    const { answered } = breakers.begin(system, id, request, [call])
    const answer = await act()
    answered()
    return answer
  })
}

/** Five resources meet an outage. */
async function meetOutage(breakers: Breakers, system: string): Promise<void> {
  for (let n = 0; n < 5; n += 1)
    await expect(ask(breakers, system, `pa_req_found_${n}`, () => Promise.reject(unavailable))).rejects.toMatchObject({
      cause: unavailable,
      costsAttempt: false,
    })
}

it('all work that waits for a kind of request syncs soon after one passes, however long it would have waited', async () => {
  const isOfTask = ({ method, path }: LineRequest) => method !== 'GET' && path.includes('/Task')
  const scope = await startWithoutScope(isOfTask, { BREAKER_COOLDOWN_MS: '120000' })
  const send = async (from: number) =>
    Promise.all(Array.from({ length: 12 }, (_, n) => deliver(gateway.url, envelope({ id: `pa_req_${from + n}` }))))
  await send(0)
  await until('it is known', async () => (await ready()).away.some(({ system }) => system === 'ehr'))
  await send(12)
  await until('all wait', async () => (await gateway.ledger.work({ state: 'waiting' }, 30)).rows.length === 24)
  scope.grant()
  expect(await runCommand(gateway.adminUrl, 'probe', 'ehr')).toMatch(/^10 resources/)
  await until('all in sync', async () => (await gateway.ledger.counts()).due === 0)
  expect(await fhir.search('Task')).toHaveLength(24)
  await scope.close()
})

it('systems may have any names, and the outage of one stops no other', async () => {
  const { breakers, time, close } = startProcess()
  await meetOutage(breakers, 'billing')
  time.nowMs += 1_000
  expect(breakers.states()).toEqual({ api: 'closed', billing: 'open' })
  expect(breakers.away()).toEqual([
    { system: 'billing', forMs: 1_000, error: { code: 'api_unavailable', message: unavailable.message } },
  ])
  await expect(ask(breakers, 'billing', 'pa_req_1', () => Promise.resolve('well'))).rejects.toThrow(
    'The system billing is away',
  )
  await expect(ask(breakers, 'api', 'pa_req_1', () => Promise.resolve('well'))).resolves.toBe('well')
  await expect(ask(breakers, 'fax', 'pa_req_1', () => Promise.resolve('well'))).rejects.toThrow(TypeError)
  close()
})

it('an outage found by one process stops all processes, is probed by any of them, and ends for all at once', async () => {
  const { finder, other, time, said, close } = startTwoProcesses()
  let calls = 0
  let answer: () => Promise<string> = () => Promise.reject(unavailable)
  const askBy = (breakers: Breakers, id: string) =>
    ask(breakers, 'api', id, () => {
      calls += 1
      return answer()
    })
  await meetOutage(finder, 'api')
  await until('the other has heard', () => other.states().api === 'open')
  expect(other.away()).toMatchObject([{ system: 'api' }])
  await expect(askBy(other, 'pa_req_1')).rejects.toMatchObject({ code: 'system_down', costsAttempt: false })
  expect(calls).toBe(0)

  // However long it lasts, the rest is the same.
  for (let round = 0; round < 5; round += 1) {
    for (const [n, each] of [other, finder].entries()) {
      calls = 0
      time.nowMs += longMs
      for (let turn = 0; turn < 10; turn += 1)
        await expect(askBy(each, `pa_req_${round}_${n}_${turn}`)).rejects.toThrow()
      expect(calls).toBe(3)
    }
  }

  answer = () => Promise.resolve('well')
  time.nowMs += longMs
  expect(await askBy(other, 'pa_req_2')).toBe('well')
  expect(other.states().api).toBe('closed')
  await until('the finder asks at once', () => askBy(finder, 'pa_req_3').catch(() => undefined))
  expect([finder.states().api, finder.away(), other.away()]).toEqual(['closed', [], []])
  expect(said()).toMatchObject([
    [
      { level: 'warn', msg: 'a system is away: its work waits', system: 'api', error: { code: 'api_unavailable' } },
      { level: 'info', msg: 'a system is back', system: 'api' },
    ],
    [],
  ])
  close()
})

it('a process that only heard of an outage uses the system again once the ledger no longer lists it', async () => {
  const { breakers, close } = startProcess()
  await gateway.ledger.noteOutage('api', longMs)
  await until('it has heard', () => breakers.states().api === 'open')
  await gateway.ledger.noteOutage('api', undefined)
  await until('it has heard', () => breakers.states().api === 'closed')
  close()
})

it('an outage whose rest a person ends is probed at once, even by the process that found it', async () => {
  const { finder, other, close } = startTwoProcesses()
  let calls = 0
  let answer: () => Promise<string> = () => Promise.reject(unavailable)
  const askBy = (breakers: Breakers, id: string) => {
    const send = () => ((calls += 1), answer())
    return ask(breakers, 'billing', id, send)
  }
  await meetOutage(finder, 'billing')
  await until('the other has heard', () => other.states().billing === 'open')
  await expect(askBy(finder, 'pa_req_1')).rejects.toMatchObject({ code: 'system_down' })
  expect(calls).toBe(0)
  expect(await gateway.ledger.probe('billing', act)).toEqual([])
  await expect(askBy(finder, 'pa_req_2')).rejects.toMatchObject({ code: 'system_down' })
  expect(calls).toBe(1)
  // The process that only heard of it lets one piece of work ask as well, and counts it as away meanwhile.
  const asked = await Promise.allSettled(['pa_req_8', 'pa_req_9'].map((id) => askBy(other, id)))
  expect(asked).toMatchObject([{ reason: { code: 'system_down' } }, { reason: { code: 'system_down' } }])
  expect(calls).toBe(2)
  expect(other.states().billing).toBe('open')
  await gateway.ledger.probe('billing', act)
  answer = () => Promise.resolve('well')
  expect(await askBy(finder, 'pa_req_3')).toBe('well')
  expect(await askBy(other, 'pa_req_4')).toBe('well')
  close()
})

it('one waiting resource alone probes whether a system is back, and the others follow soon', async () => {
  const cooldownMs = 1_000
  const { breakers, time, said, close } = startProcess(cooldownMs)
  await meetOutage(breakers, 'api')
  for (const isBack of [false, true]) {
    time.nowMs += cooldownMs
    let answer = () => {}
    let calls = 0
    const act = () => {
      calls += 1
      return new Promise<string>((resolve, reject) => {
        answer = () => (isBack ? resolve('well') : reject(unavailable))
      })
    }
    const round = Array.from({ length: 10 }, (_, n) => ask(breakers, 'api', `${isBack}_${n}`, act))
    for (const waiting of round.slice(1))
      await expect(waiting).rejects.toMatchObject({ code: 'system_down', retry: { afterMs: cooldownMs / 4 } })
    expect({ calls, state: breakers.states().api }).toEqual({ calls: 1, state: 'half_open' })
    answer()
    await Promise.allSettled(round)
    expect(breakers.states().api).toBe(isBack ? 'closed' : 'open')
  }
  expect(said()).toMatchObject([[{ msg: 'a system is away: its work waits' }, { msg: 'a system is back' }]])
  close()
})

it('a call that returned without a request does not show that its system is back', async () => {
  const cooldownMs = 1_000
  const { breakers, time, said, close } = startProcess(cooldownMs)
  await meetOutage(breakers, 'api')
  time.nowMs += cooldownMs
  for (let n = 0; n < 10; n += 1)
    expect(await breakers.call('api', `pa_req_${n}`, async () => 'nothing to do')).toBeDefined()
  expect(breakers.states().api).toBe('open')
  // Nor does it keep another from asking.
  await ask(breakers, 'api', 'pa_req_11', async () => 'well')
  expect(breakers.states().api).toBe('closed')
  expect(said()).toMatchObject([[{ msg: 'a system is away: its work waits' }, { msg: 'a system is back' }]])
  close()
})

it('a call that returned without a request is no success between two failures', async () => {
  const { breakers, close } = startProcess()
  for (let n = 0; n < 5; n += 1) {
    await expect(ask(breakers, 'api', `pa_req_${n}`, () => Promise.reject(unavailable))).rejects.toThrow()
    await breakers.call('api', `pa_req_idle_${n}`, async () => {}).catch(() => {})
  }
  expect(breakers.states().api).toBe('open')
  close()
})

it('a returned call closes the breaker of a connector that never announces its requests, and one log line says so', async () => {
  const cooldownMs = 1_000
  const { breakers, time, said, close } = startProcess(cooldownMs)
  for (let n = 0; n < 5; n += 1)
    await expect(breakers.call('billing', `pa_req_${n}`, () => Promise.reject(unavailable))).rejects.toThrow()
  expect(breakers.states().billing).toBe('open')
  time.nowMs += cooldownMs
  await breakers.call('billing', 'pa_req_9', async () => {})
  expect(breakers.states().billing).toBe('closed')
  expect(said()).toMatchObject([
    [
      { level: 'warn', system: 'billing', msg: expect.stringContaining('does not report its requests') as string },
      { msg: 'a system is away: its work waits' },
      { msg: 'a system is back' },
    ],
  ])
  close()
})

const refused = (request?: string) =>
  new WriteFailed({
    system: 'billing',
    what: 'invoice',
    resourceId: 'pa_req_1',
    failure: { reason: 'HTTP 403', retry: 'never', isOutage: false, mayBeOutage: true, request },
  })

describe('a kind of request that a system refuses for many', () => {
  const kind = 'PUT /invoices/{id}'
  const refuse = (breakers: Breakers, id: string) =>
    ask(breakers, 'billing', id, () => Promise.reject(refused(kind)), kind)
  const pass = (breakers: Breakers, id: string, request: string) =>
    ask(breakers, 'billing', id, async () => 'well', request)

  it('delays only its own work, at no cost, while other kinds pass, even just before', async () => {
    const { breakers, said, close } = startProcess()
    for (let n = 0; n < 4; n += 1) {
      await expect(refuse(breakers, `pa_req_${n}`)).rejects.toMatchObject({ costsAttempt: false })
      await pass(breakers, `pa_req_well_${n}`, 'GET /patients')
    }
    expect(breakers.states().billing).toBe('closed')
    expect(breakers.away()).toMatchObject([
      { system: 'billing', request: kind, forMs: 0, error: { code: 'write_failed' } },
    ])
    let isSent = false
    const waits = ask(breakers, 'billing', 'pa_req_5', async () => void (isSent = true), kind)
    await expect(waits).rejects.toMatchObject({ code: 'request_refused', request: kind, costsAttempt: false })
    expect(isSent).toBe(false)
    expect(await pass(breakers, 'pa_req_6', 'GET /patients')).toBe('well')
    expect(said()).toMatchObject([[{ level: 'warn', system: 'billing', error: { code: 'write_failed' } }]])
    close()
  })

  it('resumes once one request of it passes, and by nothing else', async () => {
    const cooldownMs = 1_000
    const { breakers, time, said, close } = startProcess(cooldownMs)
    for (let n = 0; n < 4; n += 1) await refuse(breakers, `pa_req_${n}`).catch(() => {})
    time.nowMs += cooldownMs
    await pass(breakers, 'pa_req_5', 'GET /patients')
    expect(breakers.away()).toHaveLength(1)
    await expect(refuse(breakers, 'pa_req_6')).rejects.toMatchObject({ code: 'request_refused', costsAttempt: false })
    time.nowMs += cooldownMs
    expect(await pass(breakers, 'pa_req_7', kind)).toBe('well')
    expect(breakers.away()).toEqual([])
    expect(said()).toMatchObject([
      [{ level: 'warn' }, { level: 'info', msg: 'a system takes one kind of request again' }],
    ])
    close()
  })

  it('is the fault of the resource if the same kind passes for others', async () => {
    const { breakers, close } = startProcess()
    await expect(refuse(breakers, 'pa_req_1')).rejects.toMatchObject({ code: 'refusal_unconfirmed' })
    await pass(breakers, 'pa_req_2', kind)
    await expect(refuse(breakers, 'pa_req_1')).rejects.toMatchObject({ code: 'write_failed', retry: 'never' })
    close()
  })

  it('is avoided by other processes, too', async () => {
    const { finder, other, close } = startTwoProcesses()
    for (let n = 0; n < 4; n += 1) await refuse(finder, `pa_req_${n}`).catch(() => {})
    await until('the other has heard', () => other.away().length > 0)
    expect(other.away()).toMatchObject([{ system: 'billing', request: kind }])
    await expect(pass(other, 'pa_req_5', kind)).rejects.toMatchObject({ code: 'request_refused' })
    expect(await pass(other, 'pa_req_5', 'GET /patients')).toBe('well')
    close()
  })

  it('is probed at once after a person ends the rest of its system', async () => {
    const { finder, other, close } = startTwoProcesses()
    for (let n = 0; n < 4; n += 1) await refuse(finder, `pa_req_${n}`).catch(() => {})
    await until('the other has heard', () => other.away().length > 0)
    await gateway.ledger.probe('bill', act)
    await expect(pass(finder, 'pa_req_5', kind)).rejects.toMatchObject({ code: 'request_refused' })
    await gateway.ledger.probe('billing', act)
    expect(await pass(other, 'pa_req_5', kind)).toBe('well')
    expect(await pass(finder, 'pa_req_6', kind)).toBe('well')
    close()
  })

  it('may be sent several times by the work that probes it', async () => {
    const cooldownMs = 1_000
    const { breakers, time, close } = startProcess(cooldownMs)
    for (let n = 0; n < 4; n += 1) await refuse(breakers, `pa_req_${n}`).catch(() => {})
    time.nowMs += cooldownMs
    await breakers.call('billing', 'pa_req_5', async (call) => {
      breakers.begin('billing', 'pa_req_5', kind, [call])
      breakers.begin('billing', 'pa_req_5', kind, [call]).answered()
    })
    expect(breakers.away()).toEqual([])
    close()
  })

  it('counts for the whole system if its connector does not distinguish kinds', async () => {
    const { breakers, close } = startProcess()
    for (let n = 0; n < 4; n += 1)
      await ask(breakers, 'billing', `pa_req_${n}`, () => Promise.reject(refused())).catch(() => {})
    expect(breakers.states().billing).toBe('open')
    close()
  })
})

it('a system that was away and now refuses pawl has done so since the first refusal', async () => {
  let nowMs = 0
  const { log } = captureLog()
  const breakers = createBreakers({
    systems: ['api'],
    cooldownMs: 5,
    outages: gateway.ledger,
    log,
    elapsed: () => nowMs,
  })
  const place = { method: 'GET', route: '/status' }
  let error: Error = unavailable
  const askAt = async (ms: number) => {
    nowMs = ms
    for (let n = 0; n < 6; n += 1)
      await ask(breakers, 'api', `pa_req_${n % 2}`, () => Promise.reject(error)).catch(() => undefined)
  }
  try {
    await askAt(0)
    expect(breakers.away()).toMatchObject([{ forMs: 0 }])
    await askAt(1_000)
    expect(breakers.away()).toMatchObject([{ forMs: 1_000 }])
    error = new ApiUnauthorized({ ...place, httpStatus: 401 })
    await askAt(2_000)
    nowMs = 3_000
    expect(breakers.away()).toMatchObject([{ forMs: 1_000, error: { httpStatus: 401 } }])
  } finally {
    breakers.close()
  }
})

it('a breaker closes in time after the clock was set back by an hour', async () => {
  const { log } = captureLog()
  const breakers = createBreakers({ systems: ['api'], cooldownMs: 5, outages: gateway.ledger, log })
  let isAway = true
  const askFor = (id: string) =>
    ask(breakers, 'api', id, () => (isAway ? Promise.reject(unavailable) : Promise.resolve('well')))
  for (let n = 0; n < 6; n += 1) await askFor(`pa_req_${n % 2}`).catch(() => undefined)
  expect(breakers.states().api).toBe('open')
  isAway = false
  const machineClock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000)
  try {
    const end = performance.now() + 10_000
    while (breakers.states().api !== 'closed' && performance.now() < end) {
      await askFor('pa_req_2').catch(() => undefined)
      await sleep(1)
    }
  } finally {
    machineClock.mockRestore()
  }
  expect(breakers.states().api).toBe('closed')
  breakers.close()
})

it('an outage recorded before the clock was set back delays no work for longer than a cooldown', async () => {
  const { breakers, time, close } = startProcess(1_000)
  await gateway.ledger.noteOutage('api', 3_600_000)
  await until('it has heard', () => breakers.states().api === 'open')
  time.nowMs += 1_000
  await expect(ask(breakers, 'api', 'pa_req_1', () => Promise.resolve('well'))).resolves.toBe('well')
  close()
})
