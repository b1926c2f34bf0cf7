import { afterEach, beforeEach, expect, it } from 'vitest'
import { defineHandler } from '../../src/index.ts'
import type { FoundRecord, System } from '../../packages/connector/src/system.ts'
import { act } from '../support/act.ts'
import { captureLog } from '../support/log-capture.ts'
import { tryCommand } from '../support/run-command.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'

const id = 'pa_req_1'
const patient = { internal_id: 'internal-1' }

let gateway: LocalGateway
/** What happened, in order. */
let acts: string[]
/** Ends the run of the handler, or the mending, that is under way. */
let goOn: () => void

const gate = () => new Promise<void>((resolve) => (goOn = resolve))

const handler = defineHandler({
  name: 'to-chart',
  on: ['prior_authorization.status_change'],
  async handle() {
    acts.push('run begins')
    await gate()
    acts.push('run ends')
  },
})

const twin: FoundRecord = { type: 'Task', id: '2', is: 'twice', what: 'prior-authorization' }
const ehr: System<object> = {
  open: () => ({}),
  async verify() {
    acts.push('read back')
    return { records: [twin], unsearched: [] }
  },
  async mend() {
    acts.push('mending begins')
    await gate()
    acts.push('mending ends')
    return 'deleted'
  },
}

beforeEach(async () => {
  acts = []
  goOn = () => {}
  const { api } = createScriptedApi({ patient })
  gateway = await startLocalGateway({ api, handlers: [handler], systems: { ehr }, log: captureLog().log })
})
afterEach(() => gateway.destroy())

const happened = (what: string) => until(what, () => acts.at(-1) === what)
const verify = (...options: string[]) => tryCommand(gateway.adminUrl, 'ehr', 'verify', id, ...options)
const isAsked = () =>
  until('it is asked for', async () => (await gateway.ledger.listAudit({ action: 'chart.verify' }, 1)).length > 0)

it('mending waits for the run that has the resource, and holds it against the next', async () => {
  await deliver(gateway.url, envelope({ id, status: 'created' }))
  await happened('run begins')
  const mending = verify('--mend')
  await isAsked()
  goOn()
  await happened('mending begins')
  expect(acts).toEqual(['run begins', 'run ends', 'read back', 'mending begins'])
  expect((await gateway.ledger.remembered(id))?.isClaimed).toBe(true)
  await deliver(gateway.url, envelope({ id, status: 'processing' }))
  goOn()
  const { code, output } = await mending
  expect({ code, lines: output.split('\n') }).toEqual({
    code: 0,
    lines: ['twice      Task/2  prior-authorization', '           deleted', ''],
  })
  await happened('run begins')
  expect(acts.slice(4)).toEqual(['mending ends', 'run begins'])
  goOn()
  await happened('run ends')
})

it('of a resource whose patient was erased nothing is read back', async () => {
  await deliver(gateway.url, envelope({ id }))
  await happened('run begins')
  goOn()
  await until('it is at rest', async () => (await gateway.ledger.counts()).due === 0)
  expect((await verify()).output).toContain('twice      Task/2')
  await gateway.ledger.erase(id, patient.internal_id, act)
  acts = []
  expect(await verify()).toEqual({ code: 0, output: 'The chart holds nothing of it.\n' })
  expect(acts).toEqual([])
})
