import { afterEach, beforeEach, expect, it } from 'vitest'
import { type FhirServer, startFhirServer } from '../../packages/testing/src/services/fhir-server.ts'
import { type Line, startLine } from '../../packages/testing/src/lines/line.ts'
import { until } from '../support/until.ts'
import { expectAftermath } from './expect-aftermath.ts'
import { openLedgerRows } from '../support/ledger-rows.ts'
import { startFaultWorld, type FaultWorld } from './fault-world.ts'

/** Status with which the chart answers every write of a poison resource. */
let poisonStatus: number
/** Requests that were answered so. */
let refused: number
let fhir: FhirServer
let ehr: Line
let world: FaultWorld

beforeEach(async () => {
  refused = 0
  fhir = await startFhirServer()
  const { origin, pathname } = new URL(fhir.url)
  ehr = await startLine({
    system: 'chart',
    target: origin,
    async before({ path, body }) {
      if (!`${path}${body}`.includes('poison')) return undefined
      refused += 1
      return { status: poisonStatus, headers: {}, body: '{"resourceType":"OperationOutcome"}' }
    },
  })
  world = await startFaultWorld({
    seed: 6,
    env: {
      FHIR_BASE_URL: `${ehr.url(0)}${pathname}`,
      // A chart that is slow on a busy machine is no poison.
      LEASE_MS: '20000',
      EHR_TIMEOUT_MS: '15000',
      HANDLER_TIMEOUT_MS: '30000',
      RETRY_ATTEMPTS: '6',
      RETRY_BASE_MS: '100',
      RETRY_MAX_MS: '500',
      BREAKER_COOLDOWN_MS: '2000',
    },
  })
})
afterEach(async () => {
  await world.close()
  await ehr.close()
  await fhir.close()
})

const poison = Array.from({ length: 10 }, (_, n) => `pa_req_poison_${n}`)
const healthy = Array.from({ length: 100 }, (_, n) => `pa_req_healthy_${n}`)

/** Runs of each healthy resource that waited for a system. */
async function waits(): Promise<number[]> {
  const ledger = await openLedgerRows(world.databaseUrl)
  const rows = await ledger.ask(
    "select resources.id from attempts join resources on number = resource where error_code = 'system_down'",
  )
  await ledger.close()
  return healthy.map((id) => rows.filter((row) => row.id === id).length).toSorted((a, b) => b - a)
}

/** A 403 is of one kind of request, a 500 of all the chart. */
const said = {
  500: { away: 'a system is away', back: 'a system is back' },
  403: { away: 'a system refuses one kind of request', back: 'a system takes one kind of request again' },
} as const

for (const status of [500, 403] as const) {
  it(`ten resources that the EHR always answers with ${status} are parked, and hold up none of a hundred others`, async () => {
    poisonStatus = status
    const pawl = await world.start('all')
    // The worst order: at first the breaker sees nothing but failures.
    for (const id of poison) world.service.change(id)
    const { away, back } = said[status]
    await until('the breaker is open', () => pawl.output().includes(away))
    for (const id of healthy) world.service.change(id)
    // Until they are parked, they fail again and again beside new work.
    await until('the first are parked', () => refused > 30 || pawl.output().includes('handler parked'), 120_000)
    for (const id of healthy) world.service.change(id)
    await expectAftermath(world, { parked: poison })
    // A run that finds the system away waits for what is left of a rest of one cooldown, or for a quarter of one where another run asks already: three such waits are over within two.
    expect((await waits())[1]).toBeLessThanOrEqual(3)
    const lines = (text: string) => pawl.output().split(text).length - 1
    expect(lines(back)).toBe(lines(away))
    expect(lines(away)).toBeLessThanOrEqual(2)
  })
}
