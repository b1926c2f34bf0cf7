import type { FhirResource } from 'fhir/r4.js'
import { afterAll, describe, expect, it } from 'vitest'
import type { ResourceType } from '../../../../test/support/charts/profile.ts'
import { profiles } from '../../../../test/support/charts/profiles.ts'
import { type Chart, startChart } from '../../../../test/support/charts/start-chart.ts'
import { faultsOf } from '../../../../test/support/fhir-validators.ts'
import { createTestRun } from '../../../../test/support/run-context.ts'
import { benefitVerificationCases } from './benefit-verification-cases.ts'
import { duplicatesIn, ownNameOf, ownResources, readPdfs, takes, writtenTypes } from './chart-reading.ts'
import { connect, type Connection, identifierBase, token } from './connect.ts'
import { bringTo, type Case, createAct, matterOf } from './drive.ts'
import { chartFaults, type Matter } from './expectations.ts'
import { encountersOf, people, populate } from './people.ts'
import { isWaiting, priorAuthorizationCases } from './prior-authorization-cases.ts'
import { createStaff, type Staff } from './staff.ts'
import type { Remembered } from '../../../base/src/system-notes.ts'

/** One line for each chart, printed at the end for docs/. */
const table: Record<string, Record<string, number>> = {}
// oxlint-disable-next-line no-console -- the table is what the run is for
afterAll(() => console.table(table))

describe.each(profiles)('the chart $name', (profile) => {
  it('holds in the end what the service says, once and in the right place, and everything else as it was', async () => {
    const chart = await startChart(profile, { token })
    try {
      await fill(chart)
    } finally {
      await chart.close()
    }
  })
})

async function fill(chart: Chart): Promise<void> {
  const { patientIds: seeded, others } = populate(chart)
  const patientIds = [...seeded]
  const places: Pick<Matter, 'patientId' | 'formerPatientId'>[] = []
  const before = others()
  const cases: Case[] = [...priorAuthorizationCases(), ...benefitVerificationCases()]
  const shared = new Map<string, Remembered>()
  const runs = cases.map(({ kind, snapshots: [{ id }] }) => createTestRun({ resourceId: id, kind }, shared))
  const staff = createStaff(chart, identifierBase)
  const parked: string[] = []
  const act = createAct(parked)
  const connection = connect(chart, {})

  for (const [index, each] of cases.entries())
    for (const at of each.snapshots.keys()) {
      if (at === 1 && index in moves) {
        moveRecord(chart, patientIds, each.person, moves[index] ?? 'merged')
        // Runs share a look at a patient's record for some seconds.
        connection.ahead(10_000)
      }
      const patientId = patientIds[each.person] ?? ''
      const [place = { patientId }] = [places[index]]
      places[index] = place.patientId === patientId ? place : { patientId, formerPatientId: place.patientId }
      if (at === 1) disturb({ chart, connection, staff, id: each.snapshots[0].id }, index)
      loseAnswer(chart, each, index, at)
      const run = runs[index] ?? createTestRun()
      await bringTo(connection.open(run), each, at, act)
      staffTurn(staff, each, index, at)
    }

  const writes = chart.writes.length
  // A process that was started again, and knows nothing but what it remembered durably.
  const restarted = connect(chart, {})
  for (const [index, each] of cases.entries())
    await bringTo(restarted.open(runs[index] ?? createTestRun()), each, each.snapshots.length - 1, act)
  const rerun = chart.writes.slice(writes)

  await readPdfs(chart)
  const own = ownResources(chart, identifierBase)
  const matters = cases.map((each, index) =>
    matterOf(each, { patientId: '', ...places[index], leftOut: (runs[index]?.leftOuts ?? []).map(({ type }) => type) }),
  )
  const duplicates = duplicatesIn(chart, identifierBase)
  table[chart.profile.name] = {
    resources: own.length,
    writes: chart.writes.filter(({ status }) => status < 300).length,
    duplicates: duplicates.length,
    parked: parked.length,
  }

  expect.soft(parked).toEqual([])
  expect.soft(chartFaults({ chart, base: identifierBase, matters })).toEqual([])
  expect.soft(staff.losses()).toEqual([])
  expect.soft(others()).toEqual(before)
  expect.soft(rerun).toEqual([])
  expect.soft(refusals(chart)).toEqual([])
  expect.soft(lostReceipts(chart, runs)).toEqual([])
  expect.soft(invalidities(chart)).toEqual([])
  expect.soft(own.length > 0).toBe(takes(chart, 'DocumentReference', 'create'))
}

/** Cases in whose middle the patient's record becomes another one, and how. */
const moves: Readonly<Record<number, 'merged' | 'entered again'>> = { 22: 'merged', 23: 'entered again' }

/** As staff merge a record into another one, or delete it and enter the patient again. */
function moveRecord(chart: Chart, patientIds: string[], person: number, how: 'merged' | 'entered again'): void {
  const former = patientIds[person] ?? ''
  const [sample] = people.slice(person)
  const id = `another-${person}`
  chart.seedPatient({ ...(sample ?? people[0]), id })
  if ('Encounter' in chart.profile.types) for (const encounter of encountersOf(id)) chart.seed(encounter)
  if (how === 'entered again') chart.remove('Patient', former)
  else
    chart.edit('Patient', former, (held) => {
      held.active = false
      held.link = [{ type: 'replaced-by', other: { reference: `Patient/${id}` } }]
    })
  patientIds[person] = id
}

interface Scene {
  chart: Chart
  connection: Connection
  staff: Staff
  id: string
}

/** Disturbs the writing of a case, each kind in cases of its own: a lost answer, a server that fails, staff who are quicker. */
function disturb({ chart, connection, staff, id }: Scene, index: number): void {
  if (!takes(chart, 'DocumentReference', 'create')) return
  if (index % 5 === 2) chart.loseNextAnswer({ type: 'DocumentReference' })
  if (index % 10 === 4) chart.failNext({ type: 'DocumentReference', status: 503 })
  if (index === 9) connection.beforePut('/DocumentReference', () => staff.see(id))
}

/** Types that the cases of a kind write. */
const typesOf = {
  prior_authorization: ['Task', 'ClaimResponse', 'Communication', 'DocumentReference'],
  benefit_verification: ['CoverageEligibilityResponse', 'Coverage', 'DocumentReference'],
} as const

/** Loses one answer in each case, type by type: at the first state that of a create, later perhaps that of an update. */
function loseAnswer(chart: Chart, { kind }: Case, index: number, at: number): void {
  const types = typesOf[kind]
  const type = types[index % types.length] ?? 'DocumentReference'
  const isDue = at === Math.floor(index / types.length) % 3
  if (isDue && takes(chart, type, 'create') && shows(chart, type)) chart.loseNextAnswer({ type })
}

/** Whether a search shows what was written; `pawl ehr check` names the other types. */
function shows({ profile }: Chart, type: ResourceType): boolean {
  return profile.types[type]?.searchParams.some((each) => /^(identifier|patient|subject)$/.test(each)) ?? false
}

function staffTurn(staff: Staff, each: Case, index: number, at: number): void {
  if (each.kind !== 'prior_authorization') return
  const { id, status } = each.snapshots[at] ?? each.snapshots[0]
  if (index % 4 === 1 && at > 0) staff.workOn(id)
  if (each.staffDoes !== undefined && isWaiting(status)) staff.setStaffTask(id, each.staffDoes)
}

/** Writes that the chart refused, apart from those that the test made fail and the one race that staff won. */
function refusals({ writes }: Chart): string[] {
  return writes
    .filter(({ status }) => status >= 400 && status !== 503 && status !== 412)
    .map(({ method, type, status }) => `${method} ${type}: ${status}`)
}

/** Receipts of what is not in the chart. */
function lostReceipts(chart: Chart, runs: readonly ReturnType<typeof createTestRun>[]): string[] {
  const held = new Set(
    writtenTypes.flatMap((type) =>
      chart.all(type, (each) => ownNameOf(each, identifierBase) !== undefined).map(({ id }) => `${type}/${id}`),
    ),
  )
  const named = runs.flatMap(({ receipts }) => receipts.map(({ type, id }) => `${type}/${id}`))
  return named.filter((name) => !held.has(name))
}

/** Validators' faults by kind of resource, across charts. */
const judged = new Map<string, string[]>()

/** Validators' faults of the sent resources. Resources that differ in names, dates and texts only are of one kind to them, and validating is slow. */
function invalidities({ sent }: Chart): string[] {
  const faults = sent.flatMap((resource) => {
    const kind = kindOf(resource)
    const known = judged.get(kind) ?? faultsOf(resource)
    judged.set(kind, known)
    return known
  })
  // FHIR R4 binds a document's category to examples alone.
  return [...new Set(faults)].filter((fault) => !/category.*schemas\.canvasmedical\.com.*value set/.test(fault))
}

function kindOf(resource: FhirResource): string {
  return JSON.stringify(resource)
    .replaceAll(/"(data|id|versionId|hash|div)":"[^"]*"|"size":\d+/g, '')
    .replaceAll(/\d{4}-\d\d-\d\d(T[\d:.]+Z)?/g, 'date')
    .replaceAll(/((pa_req|bv|msg|att|fax)_|(Exampline|Verifine|M)-|(Patient|DocumentReference)\/)[\w.-]+/g, '$1')
}
