import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { copyJson } from '../../packages/base/src/copy-json.ts'
import { createFhirEhr } from '../../packages/ehr/src/fhir/fhir-ehr.ts'
import { identifierBase, token } from '../../packages/ehr/test/charts/connect.ts'
import { staticToken } from '../../packages/ehr/src/fhir/auth/token-provider.ts'
import { everything } from '../support/charts/everything.ts'
import { type Chart, startChart } from '../support/charts/start-chart.ts'
import { runCommand } from '../support/run-command.ts'
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
