import type { Call } from '@pawl/testing/lines/line'
import { describeCall } from './describe-request.ts'
import type { RunMark } from '@pawl/testing/lines/run-mark'
import type { TraceOfStart } from './supervisor.ts'

/** One run of one handler. Times use the clock of the recorded calls. */
export interface HandlerRun extends RunMark {
  /** Status of the resource, and its status when the handler last succeeded. */
  status: string
  from?: string | undefined
  words: readonly string[]
  /** The patient's cost by the real-time benefits check, if one ran. */
  cost?: string | undefined
  /** The last day of the approval, if it has one. */
  lastDay?: string | undefined
  /** Whether the thread waits for an answer: `open` or `resolved`; absent without messages. */
  thread?: string | undefined
  changed?: readonly string[] | undefined
  /** The fields that the handler's `reads` names. */
  reads?: readonly string[] | undefined
  /** Names of fields with a value, flags, codes, and the number of messages, files and activities. */
  has: readonly string[]
  generation: number
  beganAt: number
  /** Infinity if its process ended first. */
  endedAt: number
  isDone: boolean
  error?: string | undefined
  /** The line of the integration that threw. */
  threwAt?: string | undefined
}

/** A call to a port of the integration's own system. */
export interface PortCall {
  run: HandlerRun
  system: string
  method: string
  args: readonly unknown[]
  /** The `once` key that was active during the call. */
  once?: string | undefined
  startedAt: number
  endedAt: number
  isDone: boolean
}

/** A connector's receipt of a write. */
export interface RunReceipt {
  run: HandlerRun
  system: string
  type: string
  id: string
}

/** All runs, in order. */
export interface HandlerRuns {
  runs: readonly HandlerRun[]
  portCalls: readonly PortCall[]
  receipts: readonly RunReceipt[]
  /** Requests that bypassed the recording proxy: one sentence for each handler and host. */
  unrecorded: readonly string[]
  /** The run that sent a request; absent for pawl's own requests. */
  runOf(this: void, call: Call): HandlerRun | undefined
}

/** Why a handler's last run failed: its error, the line that threw, and the request before it. Empty if it succeeded. */
export function describeFailure(
  { runs, runOf, calls }: HandlerRuns & { calls: readonly Call[] },
  id: string,
  handler: string,
): string {
  const run = runs.findLast((each) => each.resource === id && each.handler === handler && each.error !== undefined)
  if (run === undefined) return ''
  if (run.error === 'connector_not_configured')
    return `${run.error}: set the address of its system; an invented one such as https://billing.example will do`
  const refused = calls.findLast((call) => runOf(call) === run && (call.answered?.status ?? 500) >= 400)
  const answer = refused?.answered === undefined ? 'no answer' : String(refused.answered.status)
  const request = refused && `${describeCall(refused)}: ${answer}`
  const type = /^\/fhir\/R4\/(\w+)/.exec(refused?.path ?? '')?.[1]
  if (refused?.system === 'chart' && refused.done?.body.includes('"not-supported"') === true)
    return `the chart of this run refuses ${type}: FHIR R4 has no such type`
  return [run.error, run.threwAt && `at ${run.threwAt}`, request && `after ${request}`].filter(Boolean).join(' ')
}

/** pawl's process tells wall-clock time, because monotonic clocks differ between processes. */
export const toOurs = (at: number) => at - performance.timeOrigin

export function readRuns(traces: readonly TraceOfStart[]): HandlerRuns {
  const runs = new Map<string, HandlerRun>()
  const portCalls: PortCall[] = []
  const receipts: RunReceipt[] = []
  const unrecorded = new Set<string>()
  for (const trace of traces) {
    const key = `${trace.generation}/${trace.run}`
    const run = runs.get(key)
    if (trace.what === 'begin') {
      const { what: _what, at, ...facts } = trace
      runs.set(key, { ...facts, beganAt: toOurs(at), endedAt: Infinity, isDone: false })
    } else if (run === undefined) continue
    else if (trace.what === 'end') {
      const { at, isDone, error, threwAt } = trace
      Object.assign(run, { endedAt: toOurs(at), isDone, error, threwAt })
    } else if (trace.what === 'wrote') receipts.push({ run, system: trace.system, type: trace.type, id: trace.id })
    else if (trace.what === 'unrecorded')
      unrecorded.add(
        `${run.handler} sent requests to ${trace.host} through node:http, which the run can neither fault nor judge. Use exchange, fetch or undici.`,
      )
    else {
      const { system, method, args, once, startedAt, endedAt, isDone } = trace
      const called = { run, system, method, args, once, isDone }
      portCalls.push({ ...called, startedAt: toOurs(startedAt), endedAt: toOurs(endedAt) })
    }
  }
  return {
    runs: [...runs.values()],
    portCalls,
    receipts,
    unrecorded: [...unrecorded],
    runOf: ({ generation, by }) => (by === undefined ? undefined : runs.get(`${generation}/${by.run}`)),
  }
}
