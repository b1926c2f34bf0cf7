import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { startServer } from '../base/net/server.ts'
import type { Fault, SystemName } from './steps.ts'

/** One request of pawl to a system around it, and what became of it. */
export interface Call {
  system: SystemName
  /** Which start of pawl it came from: each has addresses of its own. */
  generation: number
  method: string
  /** With the query. */
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** Of the monotonic clock, in milliseconds. */
  startedAt: number
  endedAt: number
  /** What the system itself answered, whether or not pawl got it; absent where it was not reached. */
  done: { status: number; body: string } | undefined
  /** What pawl was answered; absent where it was cut off. */
  answered: { status: number; retryAfterMs: number | undefined } | undefined
}

/** A request on its way. */
export type Asked = Pick<Call, 'method' | 'path' | 'headers' | 'body'>

/** What a system answers. */
export interface LineAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** Stands between pawl and one system: passes on, notes every call, and injects faults. */
export interface Line {
  /** The address for one start of pawl. */
  url(this: void, generation: number): string
  readonly calls: readonly Call[]
  /** Requests that are not answered yet. */
  readonly inFlight: number
  /** The next so many requests meet the fault. */
  fail(this: void, fault: Fault, times: number): void
  /** Forgets the faults that are still to come. */
  heal(this: void): void
  close(this: void): Promise<void>
}

export interface LineOptions {
  system: SystemName
  /** Where the system itself listens. */
  target: string
  /** May answer in the system's place. */
  before?: (asked: Asked) => Promise<LineAnswer | undefined>
  /** May change what the system answered. */
  after?: (asked: Asked, answer: LineAnswer) => LineAnswer
}

/** How long a request is held still before it is cut off. */
const stillMs = 300
const retryAfterSeconds = 2

/** Starts a line on a free port. */
export async function startLine({ system, target, before, after }: LineOptions): Promise<Line> {
  const calls: Call[] = []
  const faults: Fault[] = []
  let inFlight = 0

  async function pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const [, generation = '0', path = '/'] = /^\/g(\d+)(\/.*)?$/.exec(req.url ?? '') ?? []
    const asked = { method: req.method ?? 'GET', path, headers: req.headers, body: await readBody(req) }
    const call: Call = {
      system,
      generation: Number(generation),
      ...asked,
      startedAt: performance.now(),
      endedAt: Infinity,
      done: undefined,
      answered: undefined,
    }
    calls.push(call)
    const fault = faults.shift()
    if (fault === 'timeout') await sleep(stillMs)
    const refusal = fault === undefined ? undefined : refusals[fault]
    if (fault !== 'timeout') {
      const answer = refusal ?? (await before?.(asked)) ?? (await forward(asked))
      if (refusal === undefined) call.done = { status: answer.status, body: answer.body }
      if (fault === undefined || refusal !== undefined) return send(res, call, after?.(asked, answer) ?? answer)
      if (fault === 'half_answer') res.writeHead(answer.status, answer.headers).write(halfOf(answer.body))
    }
    call.endedAt = performance.now()
    res.socket?.destroy()
  }

  async function forward({ method, path, headers, body }: Asked): Promise<LineAnswer> {
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

  const server = await startServer(
    (req, res) => {
      inFlight += 1
      pass(req, res)
        .catch(() => res.socket?.destroy())
        .finally(() => (inFlight -= 1))
    },
    { host: '127.0.0.1', port: 0 },
  )
  return {
    url: (generation) => `${server.url}/g${generation}`,
    calls,
    get inFlight() {
      return inFlight
    },
    fail: (fault, times) => void faults.push(...Array.from({ length: times }, () => fault)),
    heal: () => void faults.splice(0),
    close: () => server.close(0),
  }
}

/** These are of one connection, or said anew. */
const ofTheConnection: ReadonlySet<string> = new Set([
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
  503: refusal(503, 'service_unavailable'),
}

function send(res: ServerResponse, call: Call, { status, headers, body }: LineAnswer): void {
  const retryAfter = Number(headers['retry-after'] ?? Number.NaN)
  call.answered = { status, retryAfterMs: Number.isNaN(retryAfter) ? undefined : retryAfter * 1_000 }
  call.endedAt = performance.now()
  res.writeHead(status, headers).end(body === '' ? undefined : body)
}

/** Announces more than comes. */
function halfOf(body: string): string {
  return body.slice(0, Math.floor(body.length / 2))
}

async function readBody(req: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of req.setEncoding('utf8')) body += String(chunk)
  return body
}
