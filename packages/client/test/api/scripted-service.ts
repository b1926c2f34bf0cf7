import type { IncomingMessage, ServerResponse } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { startServer } from '../../../base/src/net/server.ts'
import { type ApiClient, type ApiOptions, createApi } from '../../src/api/client.ts'
import type { RequestReport } from '../../src/api/send.ts'

export interface SeenRequest {
  method: string | undefined
  path: string | undefined
  headers: IncomingMessage['headers']
  body: unknown
}

/** One answer of the service; the last one given is repeated. */
export type Play = (response: ServerResponse, request: IncomingMessage) => void

/** A service on a free port that plays the given answers in order, and a client of it whose waits are recorded instead of slept. */
export interface ScriptedService extends AsyncDisposable {
  api: ApiClient
  baseUrl: string
  seen: SeenRequest[]
  waits: number[]
  reports: RequestReport[]
  play(...answers: Play[]): void
}

export const now = Date.parse('2026-03-01T12:00:00Z')
export const token = 'canary-token'

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Play {
  return (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

export function text(status: number, body: string, headers: Record<string, string> = {}): Play {
  return (response) => response.writeHead(status, headers).end(body)
}

export const ok = (data: unknown): Play => json(200, { status: 'success', data })
export const refused = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}): Play =>
  json(status, { status: 'error', error: { title: 'No', description: 'Testa Sample canary', code, ...more } }, headers)
export const detail = (status: number, words = 'Testa Sample canary'): Play => json(status, { detail: words })

/** Never answers. */
export const hang: Play = () => {}
/** Closes the connection without an answer. */
export const drop: Play = (_response, request) => request.socket.destroy()
/** Promises more than it sends, then closes the connection. */
export const half: Play = (response, request) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"status":"success","data":{"id":"pa_', () => request.socket.destroy())
}

export async function startScriptedService(options: Partial<ApiOptions> = {}): Promise<ScriptedService> {
  let answers: Play[] = []
  const seen: SeenRequest[] = []
  const waits: number[] = []
  const reports: RequestReport[] = []
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request)
    const { method, url: path, headers } = request
    seen.push({ method, path, headers, body: body === '' ? undefined : JSON.parse(body) })
    const play = answers.length > 1 ? answers.shift() : answers[0]
    if (play === undefined) response.writeHead(500).end()
    else play(response, request)
  }
  const server = await startServer((request, response) => void answer(request, response), {
    host: '127.0.0.1',
    port: 0,
  })
  const { url: baseUrl } = server
  const api = createApi({
    baseUrl,
    token,
    clock: { now: () => now + waits.reduce((sum, ms) => sum + ms, 0) },
    random: () => 0.5,
    sleep: async (ms, signal) => {
      waits.push(ms)
      signal?.throwIfAborted()
    },
    onRequest: (report) => reports.push(report),
    ...options,
  })
  return {
    api,
    baseUrl,
    seen,
    waits,
    reports,
    play(...next) {
      answers = next
    },
    [Symbol.asyncDispose]: () => server.close(0),
  }
}
