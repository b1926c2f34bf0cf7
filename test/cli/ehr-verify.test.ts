import request from 'supertest'
import { postForm } from '../../packages/console/test/post-form.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { copyJson } from '../../packages/base/src/copy-json.ts'
import { createFhirEhr } from '../../packages/ehr/src/fhir/fhir-ehr.ts'
import { identifierBase, token } from '../../packages/ehr/test/charts/connect.ts'
import { staticToken } from '../../packages/ehr/src/fhir/auth/token-provider.ts'
import { everything } from '../support/charts/everything.ts'
import { type Chart, startChart } from '../support/charts/start-chart.ts'
import { runCommand, tryCommand } from '../support/run-command.ts'
import { runPawl } from '../support/run-script.ts'
import { samplePatient, samplePriorAuthorization } from '../support/samples.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'

let chart: Chart
let gateway: LocalGateway

beforeEach(async () => {
  chart = await startChart(everything, { token })
  const { mrn, internal_id: internalId, date_of_birth: birthDate } = samplePatient
  chart.seedPatient({ mrn, internalId, birthDate, name: 'Testa Sample' })
  const service = createScriptedApi()
  const ehr = createFhirEhr({ baseUrl: chart.url, identifierBase, tokens: staticToken(token) })
  gateway = await startLocalGateway({ api: service.api, ehr }, { POLL_INTERVAL_MS: '3600000' })
  const pa = copyJson(samplePriorAuthorization({ status: 'awaiting_review' }))
  service.set({ ...pa })
  await deliver(gateway.url, envelope({ ...pa }))
  await isDone()
})
afterEach(async () => {
  await gateway.destroy()
  await chart.close()
})

const isDone = () => until('nothing is due', async () => (await gateway.ledger.counts()).due === 0, 60_000)

/** Runs `pawl ehr verify` in a process of its own, as an operator does. */
const verify = (...args: string[]) =>
  runPawl(['ehr', 'verify', ...args], {
    NODE_ENV: 'development',
    DATABASE_URL: `file:${gateway.databasePath}`,
    WEBHOOK_SECRETS: 'a-secret-of-at-least-thirty-two-characters',
    API_BASE_URL: 'http://127.0.0.1:9',
    API_TOKEN: 'token-for-tests',
    FHIR_BASE_URL: chart.url,
    FHIR_IDENTIFIER_BASE: identifierBase,
    FHIR_TOKEN: token,
  })

const taskOf = (kind: string) =>
  chart.all('Task', ({ identifier }) => identifier?.[0]?.system === `${identifierBase}/${kind}`)[0]

describe('pawl ehr verify', () => {
  it('finds nothing where the chart is as pawl wrote it, and writes nothing', async () => {
    const { length } = chart.writes
    const { code, output: out } = await verify()
    expect(out).toContain('compared   4 records of 1 resource')
    expect(code).toBe(0)
    expect(chart.writes).toHaveLength(length)
  })

  it('names what is gone, what others changed of it, and what they added, until it is synced again', async () => {
    const [document] = chart.all('DocumentReference')
    chart.remove('DocumentReference', document?.id ?? '')
    const task = taskOf('prior-authorization')
    chart.edit('Task', task?.id ?? '', (held) => void (held.status = 'completed'))
    const staffTask = taskOf('prior-authorization-staff-task')
    chart.edit('Task', staffTask?.id ?? '', (held) => {
      held.note = [{ text: 'Called the payer.' }]
      held.owner = { display: 'Nurse Example' }
      held.status = 'in-progress'
    })
    const { code, output: out } = await verify()
    expect(out).toContain(`missing    DocumentReference/${document?.id}  pa_req_1`)
    expect(out).toContain(`changed    Task/${task?.id}  pa_req_1`)
    expect(out).toContain(`elsewhere  Task/${staffTask?.id}  pa_req_1`)
    expect(code).toBe(1)
    expect((await verify('--since', '2099-01-01T00:00:00Z')).code).toBe(2)

    await runCommand(gateway.adminUrl, 'sync', 'pa_req_1')
    await until('it is written again', () => chart.all('DocumentReference').length === 1, 60_000)
    await isDone()
    const again = await verify('--json')
    expect(JSON.parse(again.out)).toMatchObject({ records: 4, missing: 0, changed: 0 })
    expect(again.code).toBe(0)
    expect(taskOf('prior-authorization')).toMatchObject({ status: 'on-hold' })
    expect(taskOf('prior-authorization-staff-task')).toMatchObject({
      status: 'in-progress',
      owner: { display: 'Nurse Example' },
    })
  })
})

describe('pawl ehr verify <id>', () => {
  const pawl = (...args: string[]) => tryCommand(gateway.adminUrl, 'ehr', 'verify', ...args)

  /** Deletes the document, has the task there twice, and changes the status of the first. */
  function disturb() {
    const [document] = chart.all('DocumentReference')
    chart.remove('DocumentReference', document?.id ?? '')
    const { id = '', ...task } = taskOf('prior-authorization') ?? {}
    const copy = chart.seed({ ...task, resourceType: 'Task', status: 'requested', intent: 'order' })
    chart.edit('Task', id, (held) => void (held.status = 'completed'))
    return { document: document?.id ?? '', task: id, copy: copy.id }
  }

  it('lists what the chart holds, with dates and statuses, and mends it on request', async () => {
    const { length } = chart.writes
    const whole = await pawl('pa_req_1')
    expect(whole.code).toBe(0)
    expect(whole.output).toMatch(/^same +Task\/\S+  prior-authorization  \d{4}-\d\d-\d\dT\S+  on-hold$/m)
    expect(whole.output.match(/^same/gm)).toHaveLength(4)
    const { document, task, copy } = disturb()
    const found = await pawl('pa_req_1')
    expect(found.code).toBe(1)
    expect(found.output).toContain(`missing    DocumentReference/${document}  prior-authorization\n`)
    expect(found.output).toMatch(new RegExp(`^changed    Task/${task}  prior-authorization .*completed$`, 'm'))
    expect(found.output).toMatch(new RegExp(`^twice      Task/${copy}  prior-authorization .*requested$`, 'm'))
    expect(chart.writes).toHaveLength(length)

    const mended = await pawl('pa_req_1', '--mend')
    expect(mended.code).toBe(0)
    expect(mended.output.split('\n').map((line) => line.trim())).toEqual(
      expect.arrayContaining(['written anew', 'entered in error']),
    )
    await until('it is written again', () => taskOf('prior-authorization')?.status === 'on-hold', 60_000)
    await isDone()
    expect(chart.all('Task', ({ id }) => id === copy)).toMatchObject([{ status: 'entered-in-error' }])
    expect(chart.all('DocumentReference')).toHaveLength(1)
    expect((await pawl('pa_req_1')).code).toBe(0)
    const entries = await gateway.ledger.listAudit({ resourceId: 'pa_req_1' }, 10)
    const acts = entries.map(({ action }) => action).filter((action) => action.startsWith('chart.'))
    expect(acts.toSorted()).toEqual(['chart.mend', ...Array.from({ length: 4 }, () => 'chart.verify')])
    expect(entries.find(({ action }) => action === 'chart.mend')?.details).toMatchObject({
      records: expect.arrayContaining([`Task/${copy}: entered in error`]) as string[],
    })
  })

  it('is a button on the page of the resource, too', async () => {
    const { copy } = disturb()
    const page = await request(gateway.adminUrl).get('/resources/pa_req_1').expect(200)
    expect(page.text).toContain('See what the chart shows')
    const token = /name="token" value="([^"]+)"/.exec(page.text)?.[1]
    const post = (fields: object) => postForm(gateway.adminUrl, '/resources/pa_req_1/verify', { token, ...fields })
    const found = await post({}).expect(200)
    expect(found.text).toContain(`Task/${copy}`)
    expect(found.text).toContain('Not in order: 3.')
    expect(found.text).not.toContain('Testa')
    const mended = await post({ mend: 'yes' }).expect(200)
    expect(mended.text).toContain('entered in error')
    expect(chart.all('Task', ({ id }) => id === copy)).toMatchObject([{ status: 'entered-in-error' }])
  })

  it('names the id that the ledger does not know, and options that contradict each other', async () => {
    expect(await pawl('pa_req_none')).toEqual({ code: 1, output: 'No resource of this id is known here.\n' })
    await expect(runCommand(gateway.adminUrl, 'ehr', 'verify', '--mend')).rejects.toThrow('--mend needs the id')
    await expect(runCommand(gateway.adminUrl, 'ehr', 'verify', 'pa_req_1', '--since', '7d')).rejects.toThrow('--since')
  })
})

it('what goes by HL7 v2 cannot be read back, which one line says', async () => {
  const service = createScriptedApi()
  const hl7 = await startLocalGateway({ api: service.api }, { EHR_URL: 'mllp://127.0.0.1:9' })
  try {
    const one = await tryCommand(hl7.adminUrl, 'ehr', 'verify', 'pa_req_1')
    expect(one.code).toBe(1)
    expect(one.output).toMatch(/^This process cannot read the chart back: .*HL7 v2 takes documents and shows none\.\n$/)
    const all = await runPawl(['ehr', 'verify'], {
      NODE_ENV: 'development',
      DATABASE_URL: `file:${hl7.databasePath}`,
      WEBHOOK_SECRETS: 'a-secret-of-at-least-thirty-two-characters',
      API_BASE_URL: 'http://127.0.0.1:9',
      API_TOKEN: 'token-for-tests',
      EHR_URL: 'mllp://127.0.0.1:9',
    })
    expect(all.code).toBe(2)
    expect(all.err).toContain('HL7 v2 takes documents and shows none.')
  } finally {
    await hl7.destroy()
  }
})
