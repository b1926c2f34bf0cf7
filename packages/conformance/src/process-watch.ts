import { subscribe } from 'node:diagnostics_channel'
import { readdirSync, readlinkSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import timers from 'node:timers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dispatcher, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { runHeader } from '@pawl/testing/lines/run-mark'

/** The mark that a request to this origin carries, and the address that it is sent to. */
type Decide = (origin: string) => { mark: string | undefined; through: string | undefined }

/** Passes every request by `fetch`, undici and `node:http` to `decide`. `node:http` requests always go to their own address. */
export function watchRequests(decide: Decide): void {
  const watched = getGlobalDispatcher().compose((dispatch) => (options, handler) => {
    const origin = String(options.origin)
    const { mark, through } = decide(origin)
    const headers = mark === undefined ? options.headers : withHeader(options.headers, runHeader, mark)
    if (through === undefined) return dispatch({ ...options, headers: headers ?? null }, handler)
    const { origin: instead, pathname } = new URL(through)
    const path = `${pathname}/${origin.replace('://', '_')}${options.path}`
    return dispatch({ ...options, origin: instead, path, headers: headers ?? null }, handler)
  })
  setGlobalDispatcher(watched)
  for (const protocol of [http, https]) {
    const { request } = protocol
    protocol.request = (...args: unknown[]) => {
      // The original accepts the same arguments in all its forms.
      const sent = Reflect.apply(request, protocol, args) as http.ClientRequest
      const { mark } = decide(`${sent.protocol}//${sent.host}`)
      if (mark !== undefined && !sent.headersSent) sent.setHeader(runHeader, mark)
      return sent
    }
  }
  syncBuiltinESMExports()
}

function withHeader(headers: Dispatcher.DispatchOptions['headers'], name: string, value: string) {
  if (Array.isArray(headers)) return [...headers, name, value]
  // An iterable yields pairs; without headers there is nothing to keep.
  const pairs =
    headers == null
      ? {}
      : Symbol.iterator in headers
        ? Object.fromEntries(headers as Iterable<[string, string]>)
        : headers
  return { ...pairs, [name]: value }
}

/** Reports the origin of every `node:http` request to `note`. */
export function watchPlainRequests(note: (origin: string) => void): void {
  subscribe('http.client.request.start', (message) => {
    // As Node documents it.
    const { request } = message as { request: http.ClientRequest }
    note(`${request.protocol}//${String(request.getHeader('host') ?? request.host)}`)
  })
}

/** Reports each timer set through the globals or `node:timers` to `note` while `isActive` holds. */
export function watchTimers(isActive: () => boolean, note: (timer: NodeJS.Timeout) => void): void {
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const original = timers[name]
    const watched = (...args: unknown[]) => {
      // The original accepts the same arguments in all its forms.
      const timer = Reflect.apply(original, globalThis, args) as NodeJS.Timeout
      if (!isActive()) return timer
      // Libraries keep their own timers for connections that stay open.
      const caller = new Error('').stack?.split('\n')[2] ?? ''
      if (!caller.includes('node_modules') && !caller.includes('node:')) note(timer)
      return timer
    }
    const replaced = Object.assign(watched, original) as never
    globalThis[name] = replaced
    timers[name] = replaced
  }
  syncBuiltinESMExports()
}

/** Shifts `Date` by `offset` where it is not 0. */
export function shiftDates(offset: () => number): void {
  const Original = Date
  const now = () => Original.now() + offset()
  globalThis.Date = new Proxy(Original, {
    construct: (target, args: unknown[], asked) =>
      // A constructor makes an object.
      Reflect.construct(target, args.length === 0 ? [now()] : args, asked) as Date,
    apply: () => new Original(now()).toString(),
    get: (target, name): unknown => (name === 'now' ? now : Reflect.get(target, name)),
  })
}

/** Makes this the folder for temporary files. */
export function leadTemporaryFiles(folder: string): void {
  os.tmpdir = () => folder
  syncBuiltinESMExports()
}

/** Grace for work that the stop itself began. */
const overMs = 100
/** More than a gateway and its lazily loaded modules add. */
const maxGrownBytes = 96 * 1_048_576

let lastBytes: number | undefined

/** Records the process's open resources. The returned function resolves with those that were added and are still open. */
export function watchHoldings(): () => Promise<string[]> {
  // The process is idle between lists, so a full garbage collection costs little.
  const before = { ...holdings(), bytes: lastBytes ?? heldBytes() }
  return async () => {
    await sleep(overMs)
    const after = { ...holdings(), bytes: heldBytes() }
    lastBytes = after.bytes
    // A logger adds one listener to the process.
    const spare = (name: string) => (name.startsWith('a listener') ? 1 : 0)
    const added = [...after.resources].filter(
      ([name, count]) => count > (before.resources.get(name) ?? 0) + spare(name),
    )
    const grown = after.bytes - before.bytes
    return [
      ...added.map(([name]) => titles[name] ?? name),
      ...(after.files > before.files ? ['a temporary file'] : []),
      ...(grown > maxGrownBytes ? [`${Math.round(grown / 1_048_576)} MiB of memory`] : []),
    ]
  }
}

const titles: Record<string, string> = {
  Timeout: 'a timer',
  TCPSocketWrap: 'an open connection',
  TCPServerWrap: 'a listening server',
  ProcessWrap: 'a child process',
  open: 'an open file',
}

/** Node resources that the run itself needs. */
const unjudged = new Set([
  'PipeWrap',
  'TTYWrap',
  'Immediate',
  'CloseReq',
  'FSReqCallback',
  'FSReqPromise',
  'TickObject',
])

function heldBytes(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function holdings() {
  const resources = new Map<string, number>()
  const add = (name: string, count = 1) => void resources.set(name, (resources.get(name) ?? 0) + count)
  for (const name of process.getActiveResourcesInfo()) if (!unjudged.has(name)) add(name)
  for (const event of process.eventNames()) add(`a listener of ${String(event)}`, process.listenerCount(event))
  for (const file of openFiles()) if (file.startsWith('/')) add('open')
  return { resources, files: readdirSync(os.tmpdir()).length }
}

/** Only Linux lists open files. */
function openFiles(): string[] {
  try {
    return readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/self/fd/${fd}`)]
      } catch {
        return []
      }
    })
  } catch {
    return []
  }
}
