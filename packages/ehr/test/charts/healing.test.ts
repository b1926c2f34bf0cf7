import { afterEach, describe, expect, it } from 'vitest'
import type { ChartProfile } from '../../../../test/support/charts/profile.ts'
import { readOnly } from '../../../../test/support/charts/read-only.ts'
import { remembering } from '../../../../test/support/charts/remembering.ts'
import { type Chart, startChart } from '../../../../test/support/charts/start-chart.ts'
import { runCommand } from '../../../../test/support/run-command.ts'
import { createScriptedApi } from '../../../../test/support/scripted-api.ts'
import { sampleBenefitVerification, samplePatient, samplePriorAuthorization } from '../../../../test/support/samples.ts'
import { startLocalGateway, type LocalGateway } from '../../../../test/support/start-local-gateway.ts'
import { until } from '../../../../test/support/until.ts'
import { deliver, envelope } from '../../../../test/support/webhook.ts'
import { createChartEhr, token } from './connect.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const dayMs = 86_400_000
const { mrn, date_of_birth: birthDate } = samplePatient
const person = { mrn, birthDate, name: 'Testa Sample' }

interface World {
  chart: Chart
  gateway: LocalGateway
  pawl(...args: string[]): ReturnType<typeof runCommand>
  /** Has the service say so, and tells of it. */
  tell(resource: { id: string }, eventType?: string): Promise<void>
  /** Sets the clock ahead. */
  ahead(ms: number): void
}

/** A pawl with the shipped handlers at a chart. */
async function start(profile: ChartProfile): Promise<World> {
  const chart = await startChart(profile, { token })
  closing.push(chart.close)
  const service = createScriptedApi()
  let aheadMs = 0
  const clock = { now: () => Date.now() + aheadMs }
  const ehr = createChartEhr(chart)
  const gateway = await startLocalGateway({ api: service.api, ehr, clock }, { POLL_INTERVAL_MS: '3600000' })
  closing.push(gateway.destroy)
  return {
    chart,
    gateway,
    pawl: (...args) => runCommand(gateway.adminUrl, ...args),
    async tell(resource, eventType) {
      service.set({ ...resource })
      await deliver(gateway.url, envelope({ ...resource }, eventType))
    },
    ahead: (ms) => void (aheadMs += ms),
  }
}

const done = ({ gateway }: World) =>
  until('nothing is due', async () => (await gateway.ledger.counts()).due === 0, 60_000)
const documents = ({ chart }: World) => chart.all('DocumentReference')

describe('work for a patient whom the chart does not know', () => {
  it('is done once the chart knows them, a day later and without an event', async () => {
    const world = await start(remembering)
    await world.tell(samplePriorAuthorization())
    await until('it is parked', async () => (await world.gateway.ledger.counts()).parked > 0)
    await done(world)
    const [parked] = (await world.gateway.ledger.work({ state: 'parked' }, 1)).rows
    expect(parked).toMatchObject({ errorCode: 'patient_not_found' })
    expect(parked?.errorMessage).toContain('pawl retries daily and at the next event')
    world.chart.seedPatient(person)
    world.ahead(1.6 * dayMs)
    await until('it is written', () => documents(world).length === 1, 60_000)
    await until('nothing is parked', async () => (await world.gateway.ledger.counts()).parked === 0, 60_000)
  })
})

describe('pawl ehr forget-patient', () => {
  it.each(['number', 'id'] as const)('has a patient looked for anew, by their %s', async (by) => {
    const world = await start(remembering)
    const first = world.chart.seedPatient(person)
    await world.tell(samplePriorAuthorization())
    await until('it is written', () => documents(world).length === 1, 60_000)
    await done(world)
    // The number went to another record, and the chart says of neither that it is wrong.
    const second = world.chart.seedPatient(person)
    world.chart.edit('Patient', first, (held) => void (held.identifier = []))
    const said = await world.pawl('ehr', 'forget-patient', by === 'number' ? mrn : first)
    expect(said).toBe('Forgotten for 1 resource, now due.')
    const subject = () => documents(world)[0]?.subject?.reference
    await until('it is in the other chart', () => subject() === `Patient/${second}`, 60_000)
    const [entry] = await world.gateway.ledger.readAudit({ action: 'memory.forget' }, 10)
    expect(entry).toMatchObject({ details: { count: 1, resources: ['pa_req_1'] } })
    expect(JSON.stringify(entry)).not.toContain(mrn)
    expect(await world.pawl('ehr', 'forget-patient', 'nobody')).toBe('pawl remembers no such patient.')
    process.exitCode = 0
  })
})

describe('a chart that takes nothing', () => {
  it('is named by status and console, with why, and gets what was left out once it takes it', async () => {
    const profile = { ...readOnly, types: { ...readOnly.types } }
    const world = await start(profile)
    world.chart.seedPatient(person)
    await world.tell(samplePriorAuthorization())
    await world.tell(sampleBenefitVerification(), 'benefit_verification.status_change')
    const told = /^ehr +nothing was written for 2 resources: the server takes no writes of DocumentReference/m
    await until('status says so', async () => told.test(await world.pawl('status')), 60_000)
    await done(world)
    const page = async () => (await fetch(world.gateway.adminUrl)).text()
    expect(await page()).toMatch(/Nothing was written to ehr for 2 resources: the server takes no writes/)
    const early = await world.pawl('ehr', 'backfill')
    expect(early).toBe('The chart still accepts nothing: "pawl ehr check" says why.')
    expect(documents(world)).toEqual([])

    profile.types = remembering.types
    const said = await world.pawl('ehr', 'backfill')
    expect(said).toBe('2 resources with skipped writes now due.')
    await until('both are written', () => documents(world).length === 2, 60_000)
    await done(world)
    expect(world.chart.all('CoverageEligibilityResponse')).toHaveLength(1)
    expect(await world.pawl('status')).not.toContain('nothing was written')
    expect(await world.pawl('ehr', 'backfill')).toMatch(
      /^Nothing the chart accepts was skipped: DocumentReference, Task/,
    )
  })

  it('gets what one type alone was left out of', async () => {
    const profile = { ...remembering, types: { ...remembering.types } }
    delete profile.types.Task
    const world = await start(profile)
    world.chart.seedPatient(person)
    await world.tell(samplePriorAuthorization())
    await until('the document is there', () => documents(world).length === 1, 60_000)
    await done(world)
    expect(await world.pawl('status')).not.toContain('nothing was written')
    profile.types = remembering.types
    await world.pawl('ehr', 'backfill')
    await until('the Task is there', () => world.chart.all('Task').length === 1, 60_000)
    await done(world)
    expect(documents(world)).toHaveLength(1)
  })
})
