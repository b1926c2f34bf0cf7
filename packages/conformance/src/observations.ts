import { parseJson } from '@pawl/base/parse-json'
import { z } from 'zod'
import { contract } from '@pawl/console/contract/contract'
import { compareSystems, type Differing, partsOf } from './compare-systems.ts'
import { type Cast, labelsOf } from './cast.ts'
import type { StaffEdit } from './chart.ts'
import { ownFrameIn } from './own-frame.ts'
import { createTextSearch } from './find-texts.ts'
import { type HandlerRuns, readRuns } from './handler-runs.ts'
import type { Call } from '@pawl/testing/lines/line'
import { people, privateValues } from './canary-people.ts'
import { textCount } from '@pawl/testing/in-sync/text-count'
import { createCanarySearch } from './canary-search.ts'
import type { Step } from './steps.ts'
import type { History } from './truth-book.ts'
import { callsOf, type World } from './world.ts'
import type { Stop } from './supervisor.ts'

/** One of several items of one kind in a resource. */
export interface Item {
  kind: 'message' | 'file' | 'call' | 'fax' | 'drug'
  /** The text that identifies it. */
  name: string
  /** Its id at the service. */
  id?: string | undefined
  /** The text that it shares with others. */
  like: string
}

/** Observations of one run, for the rules. They hold no secrets; only requests to systems hold patient data. */
export interface Observations extends HandlerRuns {
  /** Names content that belongs to another patient or case than the resource, such as `the last name of PA 1`. */
  foreignIn(this: void, id: string, text: string): string | undefined
  /** The messages, files, calls and faxes of each PA, in order, and the drugs of each BV. */
  itemsOf: ReadonlyMap<string, readonly Item[]>
  /** The days of each resource as the service gives them, the birth date, and its full text. */
  valuesOf: ReadonlyMap<string, { days: readonly string[]; born: string | undefined; text: string }>
  /** The PA of each appeal or outreach attempt. */
  linked: ReadonlyMap<string, string>
  /** The BV that each PA triggered. */
  verifying: ReadonlyMap<string, string>
  /** Index of a resource's patient. */
  patientOf(this: void, id: string): number
  steps: readonly Step[]
  /** At the end, no work was due or in transit. */
  hasSettled: boolean
  /** Resource names in the report, by id. */
  labels: ReadonlyMap<string, string>
  calls: readonly Call[]
  histories: ReadonlyMap<string, History>
  /** Where chart and pharmacy differed from the service once settled after this many steps. */
  differences: readonly (Differing & { step: number })[]
  /** Parts that were compared. */
  compared: readonly string[]
  /** Unfinished work at the end. */
  unfinished: readonly { id: string; handler: string; state: string; code: string | undefined }[]
  /** PAs that the service answered with unknown values. */
  unknownIds: ReadonlySet<string>
  /** The service's deliveries by resource: how many attempts reached pawl, and whether it accepted unusual ones. */
  deliveries: readonly { resourceId: string; arrivals: number; isUnusual: boolean; isTaken: boolean }[]
  strange: Cast['strange']
  clockChanges: number
  finalSyncAt: Cast['finalSyncAt']
  settledAt: Cast['settledAt']
  unsettled: Cast['unsettled']
  /** Resources synced by hand after a lost webhook. */
  synced: ReadonlySet<string>
  foreign: readonly string[]
  edits: readonly StaffEdit[]
  stops: readonly Stop[]
  /** Leaked patient data and secrets, with the place of each. */
  leaks: readonly { place: string; name: string }[]
  /** Stalls of the event loop, with the process's CPU time during each. */
  stalls: readonly { handler: string; durationMs: number; cpuMs: number }[]
  /** Resources whose work another claim took over. The first run's results were not recorded, and its requests may arrive after the second's. */
  lostClaims: ReadonlySet<string>
  hasLatePart: boolean
  crashes: number
  /** The line of the integration that threw an uncaught error. */
  crashedAt: string | undefined
  /** An uncaught error came from a request that was cut off, or refused, because its run was over. */
  isCrashedByEndedRun: boolean
}

/** Observes while pawl runs. The returned function adds observations that need a stopped pawl. */
export async function observe(world: World, cast: Cast, steps: readonly Step[], hasSettled: boolean) {
  const labels = labelsOf(cast)
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

  const differences = await compareSystems(world, new Set(), { lookedAt: new Set(hasSettled ? labels.keys() : []) })

  shown.set('the ledger, unsealed', await world.readLedger())
  shown.set('temporary files', await world.readTemporary())
  shown.set(
    'the address of a request',
    callsOf(world)
      .filter(({ system }) => system === 'own')
      .map(({ path }) => path)
      .join('\n'),
  )
  const findCanaries = createCanarySearch(world.patientIds)
  const patients = patientsIn(world)
  const patientOf = (each: string) => (cast.patients.get(each) ?? patients.get(each) ?? 0) % people.length

  function foreignIn(id: string, text: string): string | undefined {
    for (const { what, patient, text: count } of findCanaries(text)) {
      const owner =
        patient === undefined
          ? cast.textOwners.get(count ?? 0)
          : [...cast.patients.keys()].find((each) => patientOf(each) === patient)
      const isOwn =
        patient === undefined
          ? owner === undefined || owner === id || cast.appeals.get(id) === owner
          : patient === patientOf(id)
      if (!isOwn) return `the ${what} of ${labels.get(owner ?? '') ?? 'another patient'}`
    }
    return undefined
  }

  return (): Observations => {
    shown.set('log and output', world.printed())
    const find = createTextSearch({ ...privateValues, ...world.secrets })
    return {
      steps,
      hasSettled,
      labels,
      calls: callsOf(world),
      histories: new Map([...labels.keys()].map((id) => [id, world.truth.historyOf(id)])),
      differences: [...cast.differences, ...differences.map((each) => ({ ...each, step: steps.length }))],
      compared: partsOf(world),
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
      finalSyncAt: cast.finalSyncAt,
      settledAt: cast.settledAt,
      unsettled: cast.unsettled,
      synced: cast.dropped,
      foreign: world.chart.foreign,
      edits: world.chart.edits,
      stops: world.stops,
      crashes: world.crashes,
      crashedAt: ownFrameIn(world.printed()),
      isCrashedByEndedRun: world.crashes > 0 && /^[^{\n].*the run (?:was given up|is over)/im.test(world.printed()),
      leaks: [...shown].flatMap(([place, text]) => find(text).map(({ name }) => ({ place, name }))),
      ...readLog(world.printed()),
      ...readRuns(world.traces()),
      foreignIn,
      itemsOf: itemsIn(world),
      valuesOf: valuesIn(world),
      linked: new Map([...cast.appeals, ...cast.prescriberOf]),
      verifying: cast.verifying,
      patientOf,
    }
  }
}

function itemsIn({ truth }: World): Observations['itemsOf'] {
  const said = (text: string | undefined) => textCount.exec(text ?? '')?.[0] ?? ''
  return new Map([
    ...truth.priorAuthorizations().map(({ id, message_thread: thread, activity_log: log = [] }) => {
      const messages = (thread?.messages ?? []).map(({ id: message, content, attachments = [] }): Item => {
        return { kind: 'message', name: said(content), id: message, like: attachments.length > 0 ? 'with files' : '' }
      })
      const files = (thread?.messages ?? []).flatMap(({ attachments = [] }) =>
        attachments.map(({ id: file, file_name: name = '' }): Item => ({ kind: 'file', name, id: file, like: '' })),
      )
      const faxes = log
        .filter(({ type }) => type?.endsWith('_fax') === true)
        .map(({ id: fax = '', type = '' }): Item => ({ kind: 'fax', name: fax, like: type }))
      const calls = log
        .filter(({ type }) => type === 'follow_up_call')
        .map(({ details }): Item => ({ kind: 'call', name: said(details?.notes), like: '' }))
      return [id, [...messages, ...files, ...calls, ...faxes]] as const
    }),
    ...truth.benefitVerifications().map(({ id, drugs = [] }) => {
      const items = drugs.map(({ ndc, name = '', ...drug }): Item => {
        const { coverage, coverage_detail_code: detail, prior_authorization_required: needs } = drug
        const like = [coverage, detail, needs, drug.has_active_prior_auth].join(' ')
        return { kind: 'drug', name: ndc ?? name, like }
      })
      return [id, items] as const
    }),
  ])
}

/** Days without a time, by resource. */
function valuesIn({ truth }: World): Observations['valuesOf'] {
  return new Map(
    [...truth.priorAuthorizations(), ...truth.benefitVerifications()].map((resource) => {
      const { patient: { date_of_birth: born } = {} } = resource
      const text = JSON.stringify(resource)
      const days = new Set(text.match(/(?<=")\d{4}-\d\d-\d\d(?=")/g))
      return [resource.id, { days: [...days].filter((day) => day !== born), born, text }] as const
    }),
  )
}

/** Patient indices of all PAs and BVs, including those that a handler created. */
function patientsIn({ truth }: World): Map<string, number> {
  const indexOf = ({ id, patient }: { id: string; patient?: { internal_id?: string | undefined } | undefined }) => {
    const at = people.findIndex((each) => each.patient.internal_id === patient?.internal_id)
    return at === -1 ? [] : [[id, at] as const]
  }
  return new Map([...truth.priorAuthorizations().flatMap(indexOf), ...truth.benefitVerifications().flatMap(indexOf)])
}

const unusual: ReadonlySet<string> = new Set(['unknown_event_type', 'unknown_status', 'extra_fields'])

function readJson<T>(schema: z.ZodType<T>, text: string): T | undefined {
  return schema.safeParse(parseJson(text)).data
}

const LostLine = z.object({ resource_id: z.string() })

const StallLine = z.object({ handler: z.string(), duration_ms: z.number(), cpu_ms: z.number() })

function readLog(printed: string): Pick<Observations, 'stalls' | 'hasLatePart' | 'lostClaims'> {
  const stalls: Observations['stalls'][number][] = []
  const lostClaims = new Set<string>()
  for (const line of printed.split('\n')) {
    if (line.includes('"claim lost"')) lostClaims.add(readJson(LostLine, line)?.resource_id ?? '')
    // Only the line about a stall has this field.
    const said = line.includes('"cpu_ms":') ? readJson(StallLine, line) : undefined
    if (said !== undefined) stalls.push({ handler: said.handler, durationMs: said.duration_ms, cpuMs: said.cpu_ms })
  }
  return { stalls, lostClaims, hasLatePart: printed.includes('"a part did not close in time"') }
}
