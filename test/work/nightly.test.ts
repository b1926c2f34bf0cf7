import { afterEach, beforeEach, expect, it } from 'vitest'
import { copyJson } from '../../packages/base/src/copy-json.ts'
import { createDigest } from '../../packages/connector/src/digest.ts'
import { createFhirEhr } from '../../packages/ehr/src/fhir/fhir-ehr.ts'
import { identifierBase } from '../../packages/ehr/test/charts/connect.ts'
import { createNightly, lastTimeAt } from '../../src/work/verify/nightly.ts'
import { verifiable } from '../../src/work/verify/read-back.ts'
import { everything } from '../support/charts/everything.ts'
import { type Chart, startChart } from '../support/charts/start-chart.ts'
import { startIdleAlerts } from '../support/idle-alerts.ts'
import { captureLog } from '../support/log-capture.ts'
import { runCommand } from '../support/run-command.ts'
import { samplePatient, samplePriorAuthorization } from '../support/samples.ts'
import { createScriptedApi, type ScriptedApi } from '../support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'

let chart: Chart
let service: ScriptedApi
let gateway: LocalGateway
let days = 0
const clock = { now: () => Date.now() + days * 86_400_000 }
let isPausedNow = false
const isPaused = async () => isPausedNow
const system = () => createFhirEhr({ baseUrl: chart.url, identifierBase })

beforeEach(async () => {
  days = 0
  chart = await startChart(everything)
  const { mrn, internal_id: internalId, date_of_birth: birthDate } = samplePatient
  chart.seedPatient({ mrn, internalId, birthDate, name: 'Testa Sample' })
  service = createScriptedApi()
  gateway = await startLocalGateway({ api: service.api, ehr: system(), clock }, { POLL_INTERVAL_MS: '3600000' })
})
afterEach(async () => {
  await gateway.destroy()
  await chart.close()
})

const isDone = () => until('nothing is due', async () => (await gateway.ledger.counts()).due === 0, 60_000)

async function tell(id: string, status: string): Promise<void> {
  service.set(copyJson({ ...samplePriorAuthorization({ id, status }) }))
  // A webhook's token would be of another day.
  await runCommand(gateway.adminUrl, 'sync', id)
  await isDone()
}

/** What one process does in the night of a day; resolves with the number of requests that the chart got. */
async function night(of: number): Promise<number> {
  days = of
  const { ledger } = gateway
  const [readable] = verifiable({ ehr: system() })
  if (readable === undefined) throw new Error('The chart cannot be read.')
  const count = () => [...chart.requests.values()].reduce((sum, each) => sum + each, 0)
  const before = count()
  const digest = createDigest(await ledger.digestKey())
  const look = createNightly({
    ...readable,
    at: '02:00',
    digest,
    ledger,
    isPaused,
    clock,
    log: captureLog().log,
    restMs: 0,
  })
  await look(new AbortController().signal)
  return count() - before
}

async function openAlerts() {
  const open = await gateway.ledger.openAlerts()
  return open.flatMap(({ kind, subject, count, resourceId }) =>
    kind === 'differs' ? [{ subject, count, resourceId }] : [],
  )
}

it('each night one process reads back what the service told since, and a difference is an alert until a night finds none', async () => {
  expect(await night(0)).toBe(0)
  await tell('pa_req_1', 'created')
  await tell('pa_req_2', 'created')
  isPausedNow = true
  expect(await night(1)).toBe(0)
  isPausedNow = false
  const both = await night(1)
  expect(both).toBeGreaterThan(0)
  expect(await openAlerts()).toEqual([])
  // Another process, in the same night.
  expect(await night(1)).toBe(0)

  await tell('pa_req_1', 'processing')
  for (const { id } of chart.all('DocumentReference')) chart.remove('DocumentReference', id)
  // The other PA was told nothing of: it is not read.
  expect(await night(2)).toBeLessThan(both)
  const alert = { subject: 'ehr', count: 1, resourceId: 'pa_req_1' }
  expect(await openAlerts()).toEqual([alert])
  expect(await night(3)).toBeGreaterThan(0)
  expect(await openAlerts()).toEqual([alert])

  await runCommand(gateway.adminUrl, 'ehr', 'verify', 'pa_req_1', '--mend')
  await isDone()
  await night(4)
  expect(await openAlerts()).toEqual([])
  expect(await night(5)).toBe(0)
})

it('the alert stays open between two nights, as long as a process reads at night', async () => {
  const { ledger } = gateway
  const found = { kind: 'differs', subject: 'ehr', level: 0, count: 1, resourceId: 'pa_req_1', opens: true } as const
  await ledger.noteAlerts({ found: [found], gone: [] })
  let elapsedMs = 0
  const look = async (verified: readonly string[]) => {
    const alerts = startIdleAlerts({ ledger, verified, intervalMs: 1_000, elapsed: () => (elapsedMs += 60_000) })
    for (let round = 0; round < 3; round += 1) await alerts.round()
    await alerts.close(0)
    return openAlerts()
  }
  expect(await look(['ehr'])).toHaveLength(1)
  expect(await look([])).toEqual([])
})

it('the time of day is that of the calendar, before and after it has come', () => {
  const at = (text: string) => new Date(text).getTime()
  expect(lastTimeAt('02:00', at('2026-03-05T02:00:00'))).toBe(at('2026-03-05T02:00:00'))
  expect(lastTimeAt('02:00', at('2026-03-05T01:59:59'))).toBe(at('2026-03-04T02:00:00'))
  expect(lastTimeAt('23:30', at('2026-03-01T00:10:00'))).toBe(at('2026-02-28T23:30:00'))
})
