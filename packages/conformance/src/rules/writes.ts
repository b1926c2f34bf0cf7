import { z } from 'zod'
import { parseJson } from '@pawl/base/parse-json'
import { ReadableNotice } from '@pawl/testing/services/pharmacy-desk'
import type { Call } from '@pawl/testing/lines/line'

/** A record as written to the chart, parsed leniently. */
const WrittenRecord = z.looseObject({
  resourceType: z.string(),
  id: z.string().optional(),
  identifier: z.array(z.looseObject({ system: z.string().optional(), value: z.string().optional() })).optional(),
  businessStatus: z.looseObject({ text: z.string().optional() }).optional(),
  note: z.array(z.looseObject({ text: z.string().optional() })).optional(),
})

/** A request of pawl that changes the chart. */
export interface ChartWrite {
  call: Call
  /** `Type/id` from the request; absent for a create or a conditional write. */
  target: string | undefined
  /** `Type/id` from the chart's answer; absent if the chart refused or was not reached. */
  stored: string | undefined
  /** The record after the write, from the chart's answer. */
  held: z.infer<typeof WrittenRecord> | undefined
  /** The resource sent. */
  resource: z.infer<typeof WrittenRecord> | undefined
  isDone: boolean
}

/** Types that several cases of a patient share. */
export const sharedTypes: ReadonlySet<string> = new Set([
  'Coverage',
  'Patient',
  'Organization',
  'Practitioner',
  'Encounter',
])

const known = new WeakMap<readonly Call[], readonly ChartWrite[]>()

/** Every write to the chart, in the order of effect. Cached, because many rules read the same run. */
export function chartWritesOf(calls: readonly Call[]): readonly ChartWrite[] {
  const writes = known.get(calls) ?? readWrites(calls)
  known.set(calls, writes)
  return writes
}

function readWrites(calls: readonly Call[]): ChartWrite[] {
  return calls
    .filter(({ system, method }) => system === 'chart' && method !== 'GET' && method !== 'HEAD')
    .toSorted((one, other) => (one.done?.at ?? one.startedAt) - (other.done?.at ?? other.startedAt))
    .map((call) => {
      const [, type, id] = /^\/fhir\/R4\/(\w+)(?:\/([\w.-]+))?/.exec(call.path) ?? []
      const isDone = call.done !== undefined && call.done.status < 300
      const stored = isDone ? read(call.done?.body ?? '') : undefined
      return {
        call,
        target: id === undefined ? undefined : `${type}/${id}`,
        stored: stored?.id === undefined ? undefined : `${stored.resourceType}/${stored.id}`,
        held: stored,
        resource: read(call.body),
        isDone,
      }
    })
}

function read(body: string): z.infer<typeof WrittenRecord> | undefined {
  return WrittenRecord.safeParse(parseJson(body)).data
}

/** Whether it carries pawl's identifier of that kind. */
export function isOfKind(resource: ChartWrite['resource'], kind: string): boolean {
  return (resource?.identifier ?? []).some(({ system }) => system?.endsWith(`/${kind}`))
}

/** The service's resource id in pawl's identifier of that kind, or of any kind. */
export function subjectOf(resource: ChartWrite['resource'], kind?: string): string | undefined {
  const found = (resource?.identifier ?? []).find(({ system }) => kind === undefined || system?.endsWith(`/${kind}`))
  return found?.value?.split('/')[0]
}

/** Whether a request got no full answer, a 429 or a 5xx. */
export function hasFailed({ answered }: Call): boolean {
  return answered === undefined || answered.status === 429 || answered.status >= 500
}

/** A notice sent to the pharmacy. */
export interface SentNotice {
  call: Call
  id: string
  about: string
  status: string
  sequence: number | undefined
  /** The content as text. */
  content: string
}

/** All transfer notices, in order, including those that the pharmacy did not receive. */
export function noticesOf(calls: readonly Call[]): SentNotice[] {
  return calls
    .filter(({ system, method }) => system === 'pharmacy' && method === 'POST')
    .flatMap((call) => {
      const notice = ReadableNotice.safeParse(parseJson(call.body)).data
      if (notice === undefined) return []
      const { data, sequence } = notice
      const { prior_authorization_id: about, status } = data
      return [
        { call, id: String(call.headers['webhook-id'] ?? ''), about, status, sequence, content: JSON.stringify(data) },
      ]
    })
}
