import { parseJson } from '../base/parse-json.ts'
import { z } from 'zod'
import { contract } from '../console/contract/contract.ts'
import { benefitVerificationDifferences } from './benefit-verification-differences.ts'
import { createDifferences } from './differences.ts'
import { type Facet, priorAuthorizationDifferences } from './prior-authorization-differences.ts'
import { type Cast, labelsOf } from './cast.ts'
import type { StaffEdit } from './chart.ts'
import { createTextSearch } from './find-texts.ts'
import type { Call } from './line.ts'
import { priorAuthorizationStatuses } from '../service/schemas/prior-authorization.ts'
import { privateValues } from './canary-people.ts'
import type { Step } from './steps.ts'
import { type History, unknownStatus } from './truth-book.ts'
import { callsOf, type World } from './world.ts'
import type { Stop } from './supervisor.ts'

/** Observations of one run, for the rules. They hold no secret, and patient data only in requests to systems. */
export interface Observations {
  steps: readonly Step[]
  /** No work was due or in transit at the end. */
  hasSettled: boolean
  /** Resources' names in the report, by id. */
  labels: ReadonlyMap<string, string>
  calls: readonly Call[]
  histories: ReadonlyMap<string, History>
  /** Where chart and pharmacy differ from the service, by resource. */
  differences: readonly { id: string; found: readonly string[] }[]
  /** Facets that were compared. */
  compared: readonly string[]
  /** Work not done at the end. */
  unfinished: readonly { id: string; handler: string; state: string; code: string | undefined }[]
  /** PAs for which the service answered with unknown values. */
  unknownIds: ReadonlySet<string>
  /** The service's deliveries by resource: attempts that reached pawl, and whether pawl took unusual ones. */
  deliveries: readonly { resourceId: string; arrivals: number; isUnusual: boolean; isTaken: boolean }[]
  strange: Cast['strange']
  clockChanges: number
  /** Resources reconciled by hand after a lost webhook. */
  reconciled: ReadonlySet<string>
  foreign: readonly string[]
  edits: readonly StaffEdit[]
  stops: readonly Stop[]
  /** Patient data and secrets found, with the place. */
  leaks: readonly { place: string; name: string }[]
  /** Stalls of the event loop, with the process's CPU time during each. */
  stalls: readonly { handler: string; durationMs: number; cpuMs: number }[]
  hasLatePart: boolean
  crashes: number
}

/** Values that a report may show: codes and numbers, never free text. */
const codes: ReadonlySet<string> = new Set([
  ...priorAuthorizationStatuses,
  unknownStatus,
  ...'pending completed failed cancelled in_progress error complete queued partial'.split(' '),
  ...'requested accepted in-progress on-hold rejected Approved Denied Pending denied'.split(' '),
  'more_information_required',
])

function showCode(value: unknown): string {
  if (value === undefined) return 'absent'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && codes.has(value) ? value : 'another value'
}

/** The handler of each facet, and how to recognise its writes. */
const facetSigns: Record<Facet | 'benefit verifications', { handler: string; isSeenIn: (call: Call) => boolean }> = {
  state: {
    handler: 'prior-authorization-to-ehr',
    isSeenIn: ({ system, body }) => system === 'chart' && body.includes('/prior-authorization"'),
  },
  messages: {
    handler: 'prior-authorization-to-ehr',
    isSeenIn: ({ system, path }) => system === 'chart' && path.includes('/Communication'),
  },
  'staff task': { handler: 'staff-task-for-prior-authorization', isSeenIn: () => false },
  'transfer in the chart': {
    handler: 'prescription-transfer-to-ehr',
    isSeenIn: ({ system, body }) => system === 'chart' && body.includes('/prescription-transfer"'),
  },
  'transfer at the pharmacy': {
    handler: 'prescription-transfer-to-pharmacy',
    isSeenIn: ({ system }) => system === 'pharmacy',
  },
  'benefit verifications': {
    handler: 'benefit-verification-to-ehr',
    isSeenIn: ({ system, path }) => system === 'chart' && path.includes('/CoverageEligibilityResponse'),
  },
}

/** Observes while pawl runs; the returned function adds the observations that need a stopped pawl. */
export async function observe(world: World, cast: Cast, steps: readonly Step[], hasSettled: boolean) {
  const labels = labelsOf(cast)
  const calls = callsOf(world)
  const isApplied = (name: keyof typeof facetSigns) => {
    const { handler, isSeenIn } = facetSigns[name]
    return world.handlers.some((each) => each.name === handler) || calls.some(isSeenIn)
  }
  // Object.keys is typed string[].
  const compared = (Object.keys(facetSigns) as (keyof typeof facetSigns)[]).filter(isApplied)
  const shown = new Map<string, string>()
  const show = async (place: string, path: string) => {
    const text = await world.readAdmin(path).catch(() => '')
    shown.set(place, `${shown.get(place) ?? ''}\n${text}`)
    return text
  }
  await show('metrics', '/metrics')
  const status = readJson(contract.status.answer, await show('status', contract.status.path))
  const parked =
    readJson(contract.parked.answer, await show('errors of parked work', contract.parked.path))?.parked ?? []
  const unfinished: Observations['unfinished'][number][] = []
  for (const id of labels.keys()) {
    const record = readJson(
      contract.resource.answer,
      await show('resources', contract.resource.path.replace(':id', id)),
    )
    for (const { handler, state } of record?.progress ?? []) {
      if (state === 'synced') continue
      const failing = status?.failing.find((each) => each.handler === handler)?.oldest.errorCode
      const code = parked.find((each) => each.resourceId === id && each.handler === handler)?.errorCode ?? failing
      unfinished.push({ id, handler, state, code })
    }
    const isEndless = record?.dueAt !== undefined && record.progress.every(({ state }) => state === 'synced')
    if (isEndless) unfinished.push({ id, handler: 'a handler', state: 'due', code: undefined })
  }

  // The service sends no webhook about a pending BV.
  const isHeardOf = (resourceId: string) =>
    world.sandbox.controls.deliveries({ resourceId }).some(({ state }) => state === 'delivered')
  const differences: Observations['differences'][number][] = []
  const facets = compared.filter((name) => name !== 'benefit verifications')
  for (const pa of world.truth.priorAuthorizations()) {
    // Unknown values have no expected form in the chart.
    if (world.truth.isUnknown(pa.id) || !isHeardOf(pa.id)) continue
    const noted = createDifferences(showCode)
    differences.push({
      id: pa.id,
      found: await priorAuthorizationDifferences(world, pa, { of: facets, differences: noted }),
    })
  }
  if (compared.includes('benefit verifications'))
    for (const bv of world.truth.benefitVerifications().filter(({ id }) => isHeardOf(id)))
      differences.push({
        id: bv.id,
        found: await benefitVerificationDifferences(world, bv, createDifferences(showCode)),
      })

  return (): Observations => {
    shown.set('log and output', world.printed())
    const find = createTextSearch({ ...privateValues, ...world.secrets })
    return {
      steps,
      hasSettled,
      labels,
      calls: callsOf(world),
      histories: new Map([...labels.keys()].map((id) => [id, world.truth.historyOf(id)])),
      differences: differences.filter(({ found }) => found.length > 0),
      compared,
      unfinished,
      unknownIds: cast.unknownIds,
      deliveries: world.sandbox.controls.deliveries().map(({ resourceId, attempts, chaos = [], state }) => ({
        resourceId,
        arrivals: attempts.filter(({ status }) => status !== undefined).length,
        isUnusual: chaos.some((fault) => unusual.has(fault)),
        isTaken: state === 'delivered',
      })),
      strange: cast.strange,
      clockChanges: cast.clockChanges,
      reconciled: cast.dropped,
      foreign: world.chart.foreign,
      edits: world.chart.edits,
      stops: world.stops,
      crashes: world.crashes,
      leaks: [...shown].flatMap(([place, text]) => find(text).map(({ name }) => ({ place, name }))),
      ...readLog(world.printed()),
    }
  }
}

const unusual: ReadonlySet<string> = new Set(['unknown_event_type', 'unknown_status', 'extra_fields'])

function readJson<T>(schema: z.ZodType<T>, text: string): T | undefined {
  return schema.safeParse(parseJson(text)).data
}

const HoldLine = z.object({
  msg: z.string(),
  handler: z.string().default(''),
  duration_ms: z.number().default(0),
  cpu_ms: z.number().default(0),
})

function readLog(printed: string): Pick<Observations, 'stalls' | 'hasLatePart'> {
  const stalls: Observations['stalls'][number][] = []
  for (const line of printed.split('\n')) {
    if (!line.includes('the event loop was held up')) continue
    const said = readJson(HoldLine, line)
    if (said !== undefined) stalls.push({ handler: said.handler, durationMs: said.duration_ms, cpuMs: said.cpu_ms })
  }
  return { stalls, hasLatePart: printed.includes('"a part did not close in time"') }
}
