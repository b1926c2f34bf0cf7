import { z } from 'zod'
import type { Asked, LineAnswer } from '../../conformance/line.ts'
import { WrittenRecord } from '../../conformance/rules/writes.ts'
import type { Taps } from '../../conformance/system-lines.ts'
import type { Observation } from '../../sandbox/platform/observe.ts'
import { resourceKinds } from '../../service/schemas/kinds.ts'
import { ReadableNotice } from '../dev/services/pharmacy-desk.ts'
import type { Journey } from './journey.ts'

/** The fields of pawl's own log that the demo reads. */
interface LogLine {
  level: string
  time: string
  msg: string
  component?: string
  resource_id?: string
  trace_id?: string
  event_id?: number
  event_type?: string
  status?: string
  handler?: string
  count?: number
  attempt?: number
  retry_in_ms?: number
  error?: { code: string; message: string }
}

const ChartResource = WrittenRecord.extend({
  status: z.string().optional(),
  outcome: z.string().optional(),
  identifier: z.array(z.looseObject({ system: z.string(), value: z.string() })),
  partOf: z.array(z.looseObject({ identifier: z.looseObject({ value: z.string() }) })).optional(),
})

/** Counts of one resource, as seen by the systems around pawl. */
export interface Cost {
  deliveries: number
  duplicates: number
  reads: number
  ehrWrites: number
  pharmacyPosts: number
}

/** Observes all traffic between the systems, counts it, and reports the journey. */
export interface Watch {
  /** One line of pawl's log. */
  log(this: void, line: string): void
  /** The service was called, or changed a resource. */
  observed(this: void, observation: Observation): void
  /** pawl's requests, answered. */
  readonly taps: Taps
  costOf(this: void, id: string): Cost
  /** Error of the handler's last failed run on the resource. */
  failureOf(this: void, id: string, handler: string): string | undefined
  /** Runs that found nothing to change; the journey omits them. */
  readonly idleRuns: number
}

const nothing: Cost = { deliveries: 0, duplicates: 0, reads: 0, ehrWrites: 0, pharmacyPosts: 0 }

/** `titles` name the resources in the order of their creation. */
export function createWatch({ tell, names }: Journey, titles: readonly string[]): Watch {
  const costs = new Map<string, Cost>()
  const failures = new Map<string, string>()
  let idleRuns = 0

  function count(id: string, what: keyof Cost): void {
    const cost = costOf(id)
    cost[what] += 1
    costs.set(id, cost)
  }
  const costOf = (id: string): Cost => ({ ...nothing, ...costs.get(id) })

  function delivered({ resource_id: id = '', event_type, event_id, status }: LogLine): void {
    const isCopy = status === 'duplicate'
    count(id, 'deliveries')
    if (isCopy) count(id, 'duplicates')
    if (isCopy) tell('copy', id, `${event_type}: known as event ${event_id}, nothing to do`)
    else tell('receive', id, `${event_type}: event ${event_id}`)
  }

  function handled({ resource_id: id, handler, count: writes = 0 }: LogLine): void {
    if (writes === 0) idleRuns += 1
    else tell('handle', id, `${handler}: in sync, ${writes} written`)
  }

  function failed({ resource_id: id = '', handler, msg, attempt, retry_in_ms, error }: LogLine): void {
    const reason = error === undefined ? msg : `${error.code}: ${error.message}`
    if (handler === undefined) return tell('failed', id, `${msg}: ${reason}`)
    failures.set(`${id} ${handler}`, reason)
    const next = retry_in_ms === undefined ? 'parked' : `retry in ${(retry_in_ms / 1_000).toFixed(1)} s`
    tell('failed', id, `${handler}: ${reason} (attempt ${attempt}, ${next})`)
  }

  return {
    log(text) {
      // The lines come from pawl's own log, whose fields these are.
      const entry = JSON.parse(text) as LogLine
      if (entry.msg === 'delivery') delivered(entry)
      else if (entry.msg === 'handled') handled(entry)
      else if (entry.error !== undefined) failed(entry)
      else if (entry.component !== 'audit') tell('log', entry.resource_id, lineOf(entry))
    },
    observed(one) {
      if (one.kind === 'request' && one.path.endsWith('/messages'))
        tell('service', one.path.split('/').at(-2), 'a message was added to the thread')
      if (one.kind !== 'transition') return
      const { machine, id, from, to } = one
      if (!resourceKinds.some((kind) => kind === machine))
        return tell('service', id, `${machine.replaceAll('_', ' ')}: ${to}`)
      if (from === undefined) names.set(id, titles[names.size] ?? id)
      tell('service', id, from === undefined ? `created as ${id}` : `becomes ${to}`)
    },
    taps: {
      service: tap(({ method, path }, { status }) => {
        const id = /^\/[\w-]+\/(\w+)$/.exec(path)?.[1]
        if (method !== 'GET' || id === undefined) return
        count(id, 'reads')
        tell('ask API', id, `read: HTTP ${status}`)
      }),
      chart: tap(({ method }, { status, body }) => {
        if (method === 'GET' || status >= 300) return
        const { resourceType, identifier, partOf, ...states } = ChartResource.parse(JSON.parse(body))
        const [name] = identifier
        const id = partOf?.[0]?.identifier.value ?? name?.value ?? ''
        count(id, 'ehrWrites')
        tell('chart', id, `${resourceType} of ${name?.system.split('/').at(-1)}: ${stateOf(states)}`)
      }),
      pharmacy: tap(({ body }, { status: answered }) => {
        if (answered >= 300) return
        const { prior_authorization_id: id, status } = ReadableNotice.parse(JSON.parse(body)).data
        count(id, 'pharmacyPosts')
        tell('pharmacy', id, `notified of the transfer: ${status}`)
      }),
    },
    costOf,
    failureOf: (id, handler) => failures.get(`${id} ${handler}`),
    get idleRuns() {
      return idleRuns
    },
  }
}

/** Sees each answered request, and changes none. */
const tap = (see: (asked: Asked, answer: LineAnswer) => void) => ({
  after(asked: Asked, answer: LineAnswer) {
    see(asked, answer)
    return answer
  },
})

type States = Pick<z.infer<typeof ChartResource>, 'status' | 'outcome' | 'businessStatus'>

/** A determination's outcome tells more than its status, unless it was withdrawn. */
function stateOf({ status, outcome, businessStatus }: States): string {
  const state = (status === 'active' ? outcome : status) ?? 'written'
  return businessStatus?.text === undefined ? state : `${state} (${businessStatus.text})`
}

/** A log message, with the fields that the line does not show yet. */
function lineOf({ level, time: _time, msg, resource_id: _id, trace_id: _trace, ...fields }: LogLine): string {
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return [level === 'info' ? '' : `${level}:`, msg, ...shown].filter((part) => part !== '').join(' ')
}
