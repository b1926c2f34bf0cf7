import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { startServer } from '@pawl/base/net/server'
import { readMark, type RequestMark, runHeader } from './run-mark.ts'
import type { Fault, SystemName } from './line-faults.ts'

/** One request of pawl to another system, with the answers. */
export interface Call {
  system: SystemName
  /** The handler run that sent it; absent for pawl's own requests. */
  by: RequestMark | undefined
  /** The start of pawl that sent it; each start has its own addresses. */
  generation: number
  method: string
  /** Includes the query. */
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** Monotonic clock, milliseconds. */
  startedAt: number
  endedAt: number
  /** The system's answer, even if pawl did not receive it; absent if the request never reached the system. */
  done: { status: number; body: string; at: number } | undefined
  /** The fault that it met. */
  fault: Fault | undefined
  /** pawl closed the connection before the answer. */
  isCut: boolean
  /** The answer that pawl received; absent if the connection was cut. */
  answered: { status: number; retryAfterMs: number | undefined } | undefined
}

/** A request in transit. */
export type LineRequest = Pick<Call, 'method' | 'path' | 'headers' | 'body'>

/** A system's answer. */
export interface LineAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** The requests that a fault targets: one handler's, only writes, or only after some others pass. */
export interface Aim {
  handler?: string | undefined
  isWrite?: boolean | undefined
  after?: number | undefined
  /** The resource whose runs meet no fault. */
  spares?: string | undefined
}

/** A proxy between pawl and one system: forwards and records every call, and injects faults. */
export interface Line {
  /** Address for one start of pawl. */
  url(this: void, generation: number): string
  readonly calls: readonly Call[]
  /** Number of unanswered requests. */
  readonly inFlight: number
  /** Number of requests that met a fault. */
  readonly faultsMet: number
  /** Makes the next `times` targeted requests meet the fault. */
  fail(this: void, fault: Fault, times: number, aim?: Aim): void
  /** Clears the remaining faults. */
  heal(this: void): void
  close(this: void): Promise<void>
}

export interface LineOptions {
  system: SystemName
  /** Origin of the system. */
  target: string
  /** Default: a free one. */
  port?: number
  /** May answer in place of the system; an error cuts the connection. */
  before?: (request: LineRequest) => Promise<LineAnswer | undefined>
  /** May change the system's answer. */
  after?: (request: LineRequest, answer: LineAnswer) => LineAnswer | Promise<LineAnswer>
  /** Changes the targeted record right before a write. */
  edit?: (request: LineRequest) => Promise<void>
  /** Kills pawl. */
  kill?: () => Promise<void>
}

/** How long a request hangs before its connection is cut. */
const stillMs = 300
/** Longer than the lease of the run's pawl. */
const slowMs = 2_600
const retryAfterSeconds = 2
/** A handler may write a record that its connector has just written. */
const maxEdits = 2

function mayBeEdited(before: { count: number; isAccepted: boolean } | undefined): boolean {
  return before === undefined || (before.isAccepted && before.count < maxEdits)
}

/** Starts a line. */
export async function startLine({ system, target, port = 0, before, after, edit, kill }: LineOptions): Promise<Line> {
  const calls: Call[] = []
  // `edited` hits a record's first write, and the next one after an accepted write, until healed.
  const faults: (Aim & { fault: Fault; edited: Map<string, { count: number; isAccepted: boolean }> })[] = []
  let inFlight = 0
  let faultsMet = 0

  async function pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const [, generation = '0', path = '/'] = /^\/g(\d+)(\/.*)?$/.exec(req.url ?? '') ?? []
    const request = { method: req.method ?? 'GET', path, headers: req.headers, body: await readText(req) }
    const call: Call = {
      system,
      generation: Number(generation),
      by: readMark(req.headers),
      ...request,
      startedAt: performance.now(),
      endedAt: Infinity,
      done: undefined,
      fault: undefined,
      isCut: false,
      answered: undefined,
    }
    calls.push(call)
    res.once('close', () => {
      call.isCut = call.endedAt === Infinity
      if (call.isCut) call.endedAt = performance.now()
    })
    const fault = (call.fault = takeFault(call))
    if (fault !== undefined) faultsMet += 1
    if (fault === 'timeout') await sleep(stillMs)
    if (fault === 'killed_before') await kill?.()
    if (fault === 'edited') await edit?.(request)
    const refusal = fault === undefined ? undefined : refusals[fault]
    if (fault !== 'timeout' && fault !== 'killed_before') {
      const answer = refusal ?? (await before?.(request)) ?? (await forward(target, request))
      if (refusal === undefined) call.done = { status: answer.status, body: answer.body, at: performance.now() }
      if (refusal === undefined && answer.status < 300) noteAccepted(call)
      if (fault === 'slow') await sleep(slowMs)
      if (fault === undefined || fault === 'slow' || fault === 'edited' || refusal !== undefined)
        return send(res, call, (await after?.(request, answer)) ?? answer)
      if (fault === 'killed_after') await kill?.()
      if (fault === 'half_answer') {
        res.writeHead(answer.status, answer.headers)
        // Unsent bytes are lost with the connection.
        await new Promise((sent) => res.write(halfOf(answer.body), sent))
      }
    }
    call.endedAt = performance.now()
    res.socket?.destroy()
  }

  /** The next fault, if it targets this request. */
  function takeFault({ by, method, path }: Call): Fault | undefined {
    const isFor = ({ fault, handler, isWrite = false, edited, spares }: (typeof faults)[number]) =>
      (handler === undefined || handler === by?.handler) &&
      (spares === undefined || spares !== by?.resource) &&
      (!isWrite || (method !== 'GET' && method !== 'HEAD')) &&
      (fault !== 'edited' || ((method === 'PUT' || method === 'PATCH') && mayBeEdited(edited.get(path))))
    const at = faults.findIndex(isFor)
    const next = faults[at]
    if (next === undefined) return undefined
    if ((next.after ?? 0) > 0) {
      next.after = (next.after ?? 0) - 1
      return undefined
    }
    if (next.fault !== 'edited') faults.splice(at, 1)
    else next.edited.set(path, { count: (next.edited.get(path)?.count ?? 0) + 1, isAccepted: false })
    return next.fault
  }

  function noteAccepted({ path }: Call): void {
    for (const { edited } of faults) {
      const so = edited.get(path)
      if (so !== undefined) so.isAccepted = true
    }
  }

  const server = await startServer(
    (req, res) => {
      inFlight += 1
      pass(req, res)
        .catch(() => res.socket?.destroy())
        .finally(() => (inFlight -= 1))
    },
    { host: '127.0.0.1', port },
  )
  return {
    url: (generation) => `${server.url}/g${generation}`,
    calls,
    get inFlight() {
      return inFlight
    },
    get faultsMet() {
      return faultsMet
    },
    fail: (fault, times, { after, ...aim } = {}) =>
      void faults.push(
        ...Array.from({ length: times }, (_, at) => ({
          fault,
          ...aim,
          after: at === 0 ? after : 0,
          edited: new Map<string, { count: number; isAccepted: boolean }>(),
        })),
      ),
    heal: () => void faults.splice(0),
    close: () => server.close(0),
  }
}

/** Forwards a request. */
export async function forward(target: string, { method, path, headers, body }: LineRequest): Promise<LineAnswer> {
  const passed = Object.entries(headers).filter(([name]) => !ofTheConnection.has(name))
  const init = {
    method,
    headers: Object.fromEntries(passed.map(([name, value]) => [name, String(value)])),
    redirect: 'manual' as const,
    ...(method !== 'GET' && method !== 'HEAD' && { body }),
  }
  const answer = await fetch(`${target}${path}`, init)
  const kept = [...answer.headers].filter(([name]) => !ofTheConnection.has(name))
  return { status: answer.status, headers: Object.fromEntries(kept), body: await answer.text() }
}

/** Headers of one connection, or recomputed. */
const ofTheConnection: ReadonlySet<string> = new Set([
  runHeader,
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'accept-encoding',
])

const refusal = (status: number, code: string, headers: Record<string, string> = {}): LineAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ status: 'error', error: { title: code, description: 'A fault of this run.', code } }),
})

const refusals: Partial<Record<Fault, LineAnswer>> = {
  429: refusal(429, 'rate_limit_exceeded', { 'retry-after': String(retryAfterSeconds) }),
  500: refusal(500, 'unexpected_error'),
  502: refusal(502, 'bad_gateway'),
  503: refusal(503, 'service_unavailable'),
  504: refusal(504, 'gateway_timeout'),
}

function send(res: ServerResponse, call: Call, { status, headers, body }: LineAnswer): void {
  const retryAfter = Number(headers['retry-after'] ?? Number.NaN)
  call.answered = { status, retryAfterMs: Number.isNaN(retryAfter) ? undefined : retryAfter * 1_000 }
  call.endedAt = performance.now()
  res.writeHead(status, headers).end(body === '' ? undefined : body)
}

/** Half of a body that was announced in full. */
function halfOf(body: string): string {
  return body.slice(0, Math.floor(body.length / 2))
}
