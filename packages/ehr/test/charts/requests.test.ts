import { afterAll, afterEach, expect, it } from 'vitest'
import { copyJson } from '../../../base/src/copy-json.ts'
import { demandingCanvas } from '../../../../test/support/charts/demanding/demanding-canvas.ts'
import { demandingEpic } from '../../../../test/support/charts/demanding/demanding-epic.ts'
import { demandingOracleHealth } from '../../../../test/support/charts/demanding/demanding-oracle-health.ts'
import { epic } from '../../../../test/support/charts/epic.ts'
import { everything } from '../../../../test/support/charts/everything.ts'
import { oracleHealth } from '../../../../test/support/charts/oracle-health.ts'
import type { ChartProfile } from '../../../../test/support/charts/profile.ts'
import { remembering } from '../../../../test/support/charts/remembering.ts'
import { startChart } from '../../../../test/support/charts/start-chart.ts'
import { createScriptedApi } from '../../../../test/support/scripted-api.ts'
import { samplePatient, samplePriorAuthorization } from '../../../../test/support/samples.ts'
import { startLocalGateway } from '../../../../test/support/start-local-gateway.ts'
import { until } from '../../../../test/support/until.ts'
import { deliver, envelope } from '../../../../test/support/webhook.ts'
import { createChartEhr, token } from './connect.ts'
import { encountersOf, practitioners } from './people.ts'
import { plain } from './plain.ts'

/** One line for each chart, printed at the end for docs/. */
const table: Record<string, Record<string, number>> = {}
// oxlint-disable-next-line no-console -- the table is what the run is for
afterAll(() => console.table(table))

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const { mrn, date_of_birth: birthDate } = samplePatient
const hourMs = 3_500_000

/** A PA from its creation to the payer's decision, with a stop at the prescriber. */
const journey = [
  { status: 'created' },
  { status: 'processing' },
  { status: 'awaiting_outcome' },
  { status: 'awaiting_provider_response' },
  { status: 'completed', outcome: { result: 'Approved', detail: 'Approved for a year.' } },
]

/** Plays the journey with the shipped handlers, each event an hour after the one before. Resolves with the chart's requests by method and type. */
async function play(profile: ChartProfile): Promise<ReadonlyMap<string, number>> {
  const chart = await startChart(profile, { token })
  closing.push(chart.close)
  const patientId = chart.seedPatient({ mrn, birthDate, name: 'Testa Sample' })
  for (const resource of [...practitioners, ...encountersOf(patientId)]) chart.seed(resource)
  const service = createScriptedApi()
  let aheadMs = 0
  const clock = { now: () => Date.now() + aheadMs }
  const ehr = createChartEhr(chart, {
    messageRecipient: 'Group/prior-authorizations',
    encounter: profile === demandingEpic ? { kind: 'newest', days: 30 } : undefined,
    clock,
  })
  const gateway = await startLocalGateway({ api: service.api, ehr }, { POLL_INTERVAL_MS: '3600000' })
  closing.push(gateway.destroy)
  for (const state of journey) {
    const pa = copyJson(samplePriorAuthorization(state))
    service.set({ ...pa })
    await deliver(gateway.url, envelope({ ...pa }))
    await until('nothing is due', async () => (await gateway.ledger.counts()).due === 0, 60_000)
    aheadMs += hourMs / journey.length
  }
  const { parked } = await gateway.ledger.counts()
  expect(parked).toBe(0)
  return chart.requests
}

/** Requests before memory decided first (November 2026), when each write followed a search or a read. */
const before = new Map<ChartProfile, number>([
  [everything, 44],
  [plain, 44],
  [remembering, 36],
  [epic, 16],
  [oracleHealth, 15],
])

it.each([
  { profile: everything, most: 22 },
  { profile: plain, most: 27 },
  { profile: remembering, most: 25 },
  { profile: epic, most: 13 },
  { profile: oracleHealth, most: 12 },
  { profile: demandingEpic, most: 14 },
  { profile: demandingOracleHealth, most: 13 },
  { profile: demandingCanvas, most: 24 },
])('a PA with five events costs the chart $profile.name at most $most requests', async ({ profile, most }) => {
  const requests = await play(profile)
  const earlier = before.get(profile)
  const row: Record<string, number> = { ...(earlier !== undefined && { before: earlier }), now: 0 }
  for (const [name, count] of requests) {
    const [method = ''] = name.split(' ')
    row[method] = (row[method] ?? 0) + count
    row.now = (row.now ?? 0) + count
  }
  table[profile.name] = row
  expect(row.now).toBeLessThanOrEqual(most)
})

it('a PA with five events costs a chart that takes conditional creates and patches half of what it did', () => {
  expect(table[everything.name]?.now).toBeLessThanOrEqual((before.get(everything) ?? 0) / 2)
})
