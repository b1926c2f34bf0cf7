import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { defineHandler } from '#pawl'
import { ApiUnavailable } from '../../src/api/errors.ts'
import { EhrWriteFailed } from '../../src/connectors/ehr/ehr-write-failed.ts'
import { createFhirEhr } from '../../src/connectors/ehr/fhir/fhir-ehr.ts'
import { type Breakers, createBreakers } from '../../src/systems/breakers.ts'
import { guardPort } from '../../src/systems/guard-port.ts'
import { createLoopWatch } from '../../src/work/loop-watch.ts'
import { SystemDown } from '../../src/systems/system-down.ts'
import { type FhirServer, startFhirServer } from '../../src/cli/demo/fhir-server.ts'
import { captureLog, type LogCapture } from '../support/log-capture.ts'
import { createScriptedApi, type ScriptedApi } from '../support/scripted-api.ts'
import { startTestGateway, type TestGateway } from '../support/start-test-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'

const resources = 12

const unavailable = new ApiUnavailable({ method: 'GET', route: '/status' }, 'backoff')

let fhir: FhirServer
let service: ScriptedApi
let gateway: TestGateway
let gatewayLog: LogCapture

beforeEach(async () => {
  fhir = await startFhirServer()
  service = createScriptedApi()
  const chart = defineHandler({
    name: 'chart',
    on: ['prior_authorization.status_change'],
    async handle({ resource, ehr }) {
      await ehr.putPriorAuthorization(resource)
    },
  })
  gatewayLog = captureLog()
  gateway = await startTestGateway(
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
  (await (await fetch(`${gateway.adminUrl}/readyz`)).json()) as { breakers: { api: string; ehr: string } }

it('an EHR that is away for longer than all backoff parks nothing, and all is in step once it is back', async () => {
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
  await until('all in step', async () => (await gateway.ledger.counts()).due === 0)
  expect(await fhir.search('Task')).toHaveLength(resources)
  expect((await ready()).breakers.ehr).toBe('closed')
})

it('an outage is told of once, with its reason, however long it lasts and whatever waits', async () => {
  const lines = (message: string) => gatewayLog.lines().filter(({ msg }) => msg === message)
  failReads(() => true)
  await Promise.all(Array.from({ length: resources }, (_, n) => deliver(gateway.url, envelope({ id: `pa_req_${n}` }))))
  await until('it was asked again and again', () => lines('a system is still away').length > 2)
  failReads(() => false)
  await until('all in step', async () => (await gateway.ledger.counts()).due === 0)
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
  await until('the others in step', async () => (await gateway.ledger.counts()).due === 0)
  expect(await gateway.ledger.parked(10)).toMatchObject([{ resourceId: 'pa_req_0', errorCode: 'ehr_write_failed' }])
  expect((await ready()).breakers.ehr).toBe('closed')
  expect(refused).toBe(422)
})

/** The next request, whichever it is, is refused for good. */
function defineRefusal(): number {
  fhir.failNext(422)
  return 422
}

/** From now on, the API answers GETs of these with 500. */
function failReads(isConcerned: (id: string) => boolean): void {
  service.before = (id) => {
    if (isConcerned(id)) throw unavailable
  }
}

it('one resource that the API always answers with 500 opens no breaker and is parked, though nothing else jobs', async () => {
  failReads((id) => id === 'pa_req_poison')
  await deliver(gateway.url, envelope({ id: 'pa_req_poison' }))
  await until('parked', async () => (await gateway.ledger.counts()).parked === 1)
  expect((await ready()).breakers.api).toBe('closed')
})

it('a breaker that opened in an outage is not held open by one resource, which is parked while others pass', async () => {
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
  await until('the others are in step', async () => (await gateway.ledger.counts()).due === 0)
  expect(await gateway.ledger.parked(10)).toMatchObject([{ resourceId: 'pa_req_poison', errorCode: 'api_unavailable' }])
  expect((await ready()).breakers.api).toBe('closed')
})

it('two resources that always fail, with nothing else to do, keep a breaker open that /readyz and /metrics show, and other work passes it', async () => {
  await gateway.destroy()
  const watch = defineHandler({ name: 'watch', on: ['prior_authorization.status_change'], handle: async () => {} })
  gateway = await startTestGateway(
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

it('a breaker that one resource alone keeps asking costs it its attempts', async () => {
  const { log } = captureLog()
  const breaker = createBreakers({ systems: ['api'], cooldownMs: 5, board: gateway.ledger, log })
  const port = { get: () => Promise.reject(unavailable) }
  const failures = new Map<string, unknown[]>()
  const ask = (id: string) =>
    breaker
      .call('api', id, port.get)
      .catch((error: unknown) => void failures.set(id, [...(failures.get(id) ?? []), error]))
  for (let n = 0; n < 6; n += 1) await ask(`pa_req_${n % 2}`)
  expect(breaker.states().api).toBe('open')
  const asked = () => (failures.get('pa_req_0') ?? []).filter((error) => error === unavailable).length
  const before = asked()
  await until('it was asked in vain at its own cost', async () => {
    await ask('pa_req_0')
    return asked() > before + 1
  })
  expect(breaker.states().api).toBe('open')
  breaker.close()
})

it('a system that one process found away is left alone by the others, until it is back', async () => {
  const board = gateway.ledger
  const { log } = captureLog()
  const [finder, other] = [1, 2].map(() => createBreakers({ systems: ['ehr'], cooldownMs: 3_000, board, log }))
  if (finder === undefined || other === undefined) throw new Error('two breakers')
  let calls = 0
  const port = {
    put: () => {
      calls += 1
      return Promise.reject(
        new EhrWriteFailed({ resourceType: 'Task', resourceId: 'x', reason: 'away', retry: 'backoff', isOutage: true }),
      )
    },
  }
  const asFinder = (id: string) => ({ put: () => finder.call('ehr', id, port.put) })
  const asOther = { put: () => other.call('ehr', 'pa_req_other', port.put) }
  for (let n = 0; n < 5; n += 1) await expect(asFinder(`pa_req_${n}`).put()).rejects.toThrow(EhrWriteFailed)
  await until('the other has heard', () =>
    asOther.put().then(
      () => false,
      (error: unknown) => error instanceof SystemDown,
    ),
  )
  const before = calls
  await expect(asOther.put()).rejects.toThrow(SystemDown)
  expect(calls).toBe(before)
  finder.close()
  other.close()
})

/** Breakers of processes that share a board, with a time that only the test moves. */
function startProcesses(count: number, cooldownMs: number) {
  const time = { nowMs: 0 }
  const captures = Array.from({ length: count }, () => captureLog())
  const elapsed = () => time.nowMs
  const processes = captures.map(({ log }) =>
    createBreakers({ systems: ['api', 'ehr', 'pharmacy'], cooldownMs, board: gateway.ledger, log, elapsed }),
  )
  return { time, processes, captures, close: () => processes.forEach((each) => each.close()) }
}

it('a system that does not come back is left alone by all others for as long as by the one that found it away', async () => {
  // Much longer than this test: the board goes by the machine's clock.
  const cooldownMs = 600_000
  const { time, processes, captures, close } = startProcesses(2, cooldownMs)
  const [finder, other] = processes
  if (finder === undefined || other === undefined) throw new Error('two processes')
  let calls = 0
  const port = {
    get() {
      calls += 1
      return Promise.reject(unavailable)
    },
  }
  const ask = (id: string) => guarded(finder, 'api', port, id).get()
  for (let n = 0; n < 5; n += 1) await expect(ask(`pa_req_${n}`)).rejects.toBe(unavailable)
  for (const [opening, rests] of [1, 2, 4, 8, 8].entries()) {
    const restMs = cooldownMs * rests
    // More than the opening before had noted, and enough for the next question and whoever waits then.
    const isNews = (leftMs = 0) => leftMs > restMs + cooldownMs * 1.5
    await until(`opening ${opening} is on the board`, async () =>
      (await gateway.ledger.outages()).some(({ system, remainingMs }) => system === 'api' && isNews(remainingMs)),
    )
    await until('the other has heard', () => other.away().some(({ leftAloneMs }) => isNews(leftAloneMs)))
    time.nowMs += restMs
    const before = calls
    // What waits in the other process comes back as soon as it would in this one.
    await expect(guarded(other, 'api', port, 'pa_req_other').get()).rejects.toMatchObject({
      code: 'system_down',
      retry: { afterMs: cooldownMs },
    })
    expect(calls).toBe(before)
    await expect(ask(`pa_req_opening_${opening}`)).rejects.toThrow(SystemDown)
    expect(calls).toBe(before + 1)
  }
  const said = captures.map((each) => each.lines().filter(({ level }) => level !== 'debug'))
  expect(said).toMatchObject([
    [{ level: 'warn', msg: 'a system is away: its work waits', system: 'api', error: { code: 'api_unavailable' } }],
    [],
  ])
  close()
})

it('of all that wait only one asks whether a system is back, and the others follow when it is', async () => {
  const cooldownMs = 1_000
  const { time, processes, captures, close } = startProcesses(1, cooldownMs)
  const [breakers] = processes
  if (breakers === undefined) throw new Error('one process')
  let answer: (() => Promise<string>) | undefined
  let calls = 0
  const port = {
    async get() {
      calls += 1
      await until('the test lets it be answered', () => answer !== undefined)
      return answer?.()
    },
  }
  const askAll = (round: string) =>
    Promise.allSettled(Array.from({ length: 10 }, (_, n) => guarded(breakers, 'api', port, `${round}_${n}`).get()))
  answer = () => Promise.reject(unavailable)
  await askAll('outage')
  expect(breakers.states().api).toBe('open')

  for (const isBack of [false, true]) {
    time.nowMs += cooldownMs * 8
    answer = undefined
    calls = 0
    const round = askAll(String(isBack))
    await until('one asks', () => calls > 0)
    // Whoever else would ask has had its turn by then.
    await sleep(20)
    expect({ calls, state: breakers.states().api }).toEqual({ calls: 1, state: 'half_open' })
    answer = () => (isBack ? Promise.resolve('well') : Promise.reject(unavailable))
    const statuses = (await round).map(({ status }) => status)
    expect({ calls, statuses }).toEqual({
      calls: isBack ? 10 : 1,
      statuses: Array.from({ length: 10 }, () => (isBack ? 'fulfilled' : 'rejected')),
    })
  }
  expect(breakers.states().api).toBe('closed')
  const said = captures[0]?.lines().filter(({ level }) => level !== 'debug')
  expect(said).toMatchObject([{ msg: 'a system is away: its work waits' }, { msg: 'a system is back' }])
  close()
})

it('a clock that was set back by an hour keeps no breaker open', async () => {
  const { log } = captureLog()
  const breakers = createBreakers({ systems: ['api'], cooldownMs: 5, board: gateway.ledger, log })
  let isAway = true
  const port = { get: () => (isAway ? Promise.reject(unavailable) : Promise.resolve('well')) }
  const ask = (id: string) => guarded(breakers, 'api', port, id).get()
  for (let n = 0; n < 6; n += 1) await ask(`pa_req_${n % 2}`).catch(() => undefined)
  expect(breakers.states().api).toBe('open')
  isAway = false
  const machineClock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000)
  try {
    const end = performance.now() + 10_000
    while (breakers.states().api !== 'closed' && performance.now() < end) {
      await ask('pa_req_2').catch(() => undefined)
      await sleep(1)
    }
  } finally {
    machineClock.mockRestore()
  }
  expect(breakers.states().api).toBe('closed')
  breakers.close()
})

it('names the handler that holds up the event loop', async () => {
  const { log, lines } = captureLog()
  const holds: number[] = []
  const watch = createLoopWatch({ log, count: (holdMs) => void holds.push(holdMs) })
  const end = watch.begin('hog')
  await new Promise((resolve) => setTimeout(resolve, 50))
  const until1500 = Date.now() + 1_500
  while (Date.now() < until1500);
  end()
  await until('it was seen', () => holds.length > 0)
  expect(lines()).toMatchObject([{ level: 'warn', handler: 'hog' }])
  watch.close()
})

/** The same port behind the breaker of its system. */
function guarded<P extends object>(breakers: Breakers, system: string, port: P, resourceId: string): P {
  return guardPort(port, (call) => breakers.call(system, resourceId, async () => call()))
}
