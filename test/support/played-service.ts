import type { RequestListener, ServerResponse } from 'node:http'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startServer } from '../../packages/base/src/net/server.ts'
import { until } from './until.ts'
import { envelope, signToken } from './webhook.ts'

/** How the service answers one GET. */
export type Mood = 'well' | '429' | '429 told' | '500' | '503' | 'half' | 'garbage' | 'silent' | 'cut' | 'deep' | 'odd'

/** The service: resources with a status that a test changes, their GET, and webhooks that are sent again until they are acknowledged. */
export interface PlayedService {
  url: string
  /** Status in the GET of each resource. */
  readonly statuses: ReadonlyMap<string, string>
  /** Every body that was answered with 2xx. */
  readonly acknowledged: ReadonlySet<string>
  /** How often each status was the answer to a webhook; 0 stands for none. */
  readonly answers: ReadonlyMap<number, number>
  /** Number of answers with 2xx. */
  readonly taken: number
  /** Chooses how the next GET is answered. */
  mood: (id: string) => Mood
  /** Gives a resource its next status, and sends the webhook. */
  change(id: string): void
  /** Sends one more webhook about a resource, without any change, with this body; resolves when it is acknowledged. */
  send(body: string): Promise<void>
  /** Resolves when every webhook was acknowledged. */
  quiet(): Promise<void>
  close(): Promise<void>
}

const resendMs = 100
const patienceMs = 5_000

/** Starts the service; it sends to the addresses in turn. What `read` does not know is answered with 404; without it, a GET tells the status. */
export async function startPlayedService(
  receivers: () => readonly string[],
  read?: (id: string) => object | undefined,
): Promise<PlayedService> {
  const statuses = new Map<string, string>()
  const acknowledged = new Set<string>()
  const answers = new Map<number, number>()
  const stopping = new AbortController()
  const held = new Set<ServerResponse>()
  // The service's clock may differ from the receiver's by hours in these tests.
  const token = await signToken({ exp: 4_000_000_000 })
  let sent = 0
  let open = 0

  const answer: RequestListener = (request, response) => {
    const id = basename(request.url ?? '')
    const played = {
      id,
      object: 'prior_authorization',
      status: statuses.get(id) ?? 'created',
      patient: { internal_id: 'patient-1' },
    }
    const data = read === undefined ? played : read(id)
    if (data === undefined) response.writeHead(404).end('{"detail":"unknown"}')
    else answerIn(service.mood(id), data, response, held)
  }
  const server = await startServer(answer, { host: '127.0.0.1', port: 0 })

  async function post(body: string): Promise<number> {
    const urls = receivers()
    const url = urls[sent++ % urls.length] ?? ''
    const headers = { 'content-type': 'application/json', 'x-webhook-secret': token }
    try {
      const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(patienceMs)])
      const answer = await fetch(`${url}/webhooks`, { method: 'POST', headers, body, signal })
      await answer.arrayBuffer()
      return answer.status
    } catch {
      return 0
    }
  }

  async function sendUntilAcknowledged(body: string): Promise<void> {
    open += 1
    while (!stopping.signal.aborted) {
      const status = await post(body)
      answers.set(status, (answers.get(status) ?? 0) + 1)
      if (status >= 200 && status < 300) {
        acknowledged.add(body)
        break
      }
      await sleep(resendMs)
    }
    open -= 1
  }

  const service: PlayedService = {
    url: server.url,
    statuses,
    acknowledged,
    answers,
    get taken() {
      return [...answers].reduce((sum, [status, count]) => (status >= 200 && status < 300 ? sum + count : sum), 0)
    },
    mood: () => 'well',
    change(id) {
      const step = Number(statuses.get(id)?.replace('step_', '') ?? 0) + 1
      statuses.set(id, `step_${step}`)
      void service.send(JSON.stringify(envelope({ id, status: `step_${step}` })))
    },
    send: sendUntilAcknowledged,
    quiet: () => until('every webhook is acknowledged', () => open === 0).then(() => undefined),
    async close() {
      stopping.abort()
      await server.close(0)
    },
  }
  return service
}

/** Deeper than any recursion can follow. */
const depth = 100_000
const deepArray = '['.repeat(depth) + ']'.repeat(depth)

function answerIn(mood: Mood, data: object, response: ServerResponse, held: Set<ServerResponse>): void {
  const json = (status: number, body: string, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  const text = JSON.stringify({ status: 'success', data })
  const failed = (code: string) => JSON.stringify({ status: 'error', error: { code, title: code } })
  switch (mood) {
    case 'well':
      return void json(200, text)
    case '429':
      return void json(429, failed('rate_limit_exceeded'))
    case '429 told':
      return void json(429, failed('rate_limit_exceeded'), { 'retry-after': '1' })
    case '500':
      return void json(500, failed('unexpected_error'))
    case '503':
      return void json(503, failed('service_unavailable'))
    case 'half':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length })
      response.write(text.slice(0, text.length / 2), () => response.destroy())
      return
    case 'garbage':
      return void json(200, '<html>\u0000 not what you asked for')
    case 'silent':
      held.add(response)
      return
    case 'cut':
      response.destroy()
      return
    case 'deep':
      return void json(200, text.replace('"object"', `"deep":${deepArray},"object"`))
    case 'odd':
      return void json(200, JSON.stringify({ status: 'success', data: { ...data, status: [7] } }))
  }
}
