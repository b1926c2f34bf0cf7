import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler } from '#pawl'
import { act } from '../support/act.ts'
import { runCommand } from '../support/run-command.ts'
import { systemOf } from '../support/run-context.ts'
import { createScriptedApi, type ScriptedApi } from '../support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'

let gateway: LocalGateway
let service: ScriptedApi
let handled: string[]

const handler = (name: string) =>
  defineHandler({
    name,
    on: ['prior_authorization.status_change'],
    async handle(context) {
      // The system of this test, which the registered integration does not know.
      if (name === 'desk') await (context as unknown as { desk: { put(): Promise<void> } }).desk.put()
      handled.push(`${name} ${context.resource.id}`)
    },
  })

async function start(env: Record<string, string> = {}) {
  const systems = { desk: systemOf({ put: async () => {} }) }
  const handlers = [handler('chart'), handler('desk')]
  // No sweep by its interval comes to help: a pause that ends wakes its work.
  const slow = { POLL_INTERVAL_MS: '1000', SWEEP_INTERVAL_MS: '3600000' }
  return startLocalGateway({ api: service.api, handlers, systems }, { ...slow, ...env })
}

beforeEach(async () => {
  handled = []
  service = createScriptedApi()
  gateway = await start()
})
afterEach(() => gateway.destroy())

const pawl = (...args: string[]) => runCommand(gateway.adminUrl, ...args)
const send = (...ids: string[]) => Promise.all(ids.map((id) => deliver(gateway.url, envelope({ id }))))
const waiting = (count: number, errorCode: string) =>
  until(`${count} wait`, async () => (await gateway.ledger.work({ errorCode }, 10)).rows.length === count)
/** Pause and resume are heard of within a second. */
const heard = (text: string, isThere = true) =>
  until(`${text} is heard of`, async () => {
    const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
    return metrics.includes(text) === isThere
  })
const count = (name: string) => handled.filter((each) => each.startsWith(name)).length

describe('a paused handler', () => {
  it('does not run while the others do, loses no attempt, and continues on resume', async () => {
    expect(await pawl('pause', 'chart', '--reason', 'the chart moves')).toMatch(
      /^Paused: handler chart: the chart moves\.$/,
    )
    await heard('pawl_paused{kind="handler",name="chart"} 1')
    await send('pa_req_1', 'pa_req_2')
    await waiting(2, 'handler_paused')
    await until('the other ran', () => count('desk') === 2)
    expect(count('chart')).toBe(0)
    expect(await pawl('status')).toMatch(
      /^chart has been paused since \d\d:\d\d \(unnamed: the chart moves\)\. 2 cases wait\.$/m,
    )
    expect(await pawl('due', '--handler', 'chart')).toMatch(
      /^pa_req_1 +in \d+ min +chart +0 attempts +handler_paused: The handler chart is paused;/m,
    )
    const ready: unknown = await (await fetch(`${gateway.adminUrl}/readyz`)).json()
    expect(ready).toMatchObject({ status: 'ready', paused: [{ kind: 'handler', name: 'chart' }] })
    expect(await pawl('resume', 'chart')).toBe('Resumed: waiting work is due now (2 resources).')
    await until('it ran', () => count('chart') === 2)
    await until('nothing waits', async () => (await gateway.ledger.counts()).due === 0)
    expect(count('desk')).toBe(2)
  })
})

it('leaves no work waiting after many pauses and resumes of handlers and systems under load', async () => {
  const ids = Array.from({ length: 12 }, (_, n) => `pa_req_${n}`)
  const [chart, desk] = [{ kind: 'handler', name: 'chart' } as const, { kind: 'system', name: 'desk' } as const]
  for (let round = 0; round < 10; round += 1) {
    const sent = send(...ids)
    for (const target of [chart, desk]) await gateway.ledger.pause(target, act)
    if (round % 2 === 0) await sent
    for (const target of [chart, desk]) await gateway.ledger.resume(target, act)
    await sent
  }
  await until('nothing waits', async () => (await gateway.ledger.counts()).due === 0)
  for (const id of ids) expect(handled).toEqual(expect.arrayContaining([`chart ${id}`, `desk ${id}`]))
})

describe('a paused system', () => {
  it('gets no requests, and its work waits at no cost of attempts', async () => {
    await pawl('pause', 'desk', '--kind', 'system')
    await heard('pawl_paused{kind="system",name="desk"} 1')
    await send('pa_req_1')
    await waiting(1, 'system_paused')
    await until('the other ran', () => count('chart') === 1)
    const [waits] = (await gateway.ledger.work({ errorCode: 'system_paused' }, 1)).rows
    expect(waits).toMatchObject({ state: 'waiting', handler: 'desk', attempts: 0 })
    await pawl('resume', 'desk', '--kind', 'system')
    await until('it ran', () => count('desk') === 1)
  })

  it('may be the service itself: then nothing runs and nothing parks', async () => {
    await pawl('pause', 'api')
    await heard('pawl_paused{')
    await send('pa_req_1')
    await waiting(2, 'system_paused')
    expect([service.reads, handled]).toEqual([[], []])
    await pawl('resume', 'api')
    await until('both ran', () => handled.length === 2)
  })
})

describe('all work paused', () => {
  it('accepts webhooks, and handles none until resumed, even over a restart', async () => {
    const env = { DATABASE_URL: `file:${gateway.databasePath}` }
    await gateway.close()
    gateway = await start({ ...env, START_PAUSED: 'true' })
    expect((await send('pa_req_1', 'pa_req_2', 'pa_req_3')).map(({ status }) => status)).toEqual([202, 202, 202])
    await gateway.close()
    // Without START_PAUSED: it was paused and stays so.
    gateway = await start(env)
    expect(await pawl('status')).toMatch(
      /^All work has been paused since \d\d:\d\d \(restored backup\?\)\. 3 cases wait\.$/m,
    )
    expect(handled).toEqual([])
    expect(await pawl('resume', '--all')).toBe('Resumed: waiting work is due now.')
    await until('all were', () => handled.length === 6)
    expect(new Set(service.reads).size).toBe(3)
  })

  it('reads nothing and begins nothing until resumed', async () => {
    await pawl('pause', '--all')
    await heard('pawl_paused{kind="all",name=""} 1')
    await send('pa_req_1')
    await pawl('pause', 'chart')
    await pawl('resume', 'chart')
    expect(service.reads).toEqual([])
    await pawl('resume', '--all')
    await heard('pawl_paused{', false)
    await until('both ran', () => handled.length === 2)
  })
})

it.each([
  [['pause', 'chard'], 'No handler and no system has this name: name one of chart, desk, api'],
  [['pause', 'desk'], 'A handler and a system have this name'],
  [['resume', 'chart'], 'It is not paused.'],
  [['resume', '--all'], 'It is not paused.'],
  [['pause'], 'Say which: a name, or --all.'],
  [['pause', 'chart', '--all'], 'Say which: a name, or --all.'],
])('pawl refuses %s', async (args, said) => {
  await expect(pawl(...args)).rejects.toThrow(said)
})
