import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FhirResource, Identifier } from 'fhir/r4.js'
import { startServer } from '../../../packages/base/src/net/server.ts'
import { indexFhirDefinitions } from '../../../packages/testing/src/services/fhir-definitions.ts'
import { createChartStore, type Held } from './chart-store.ts'
import { type ChartRequest, interact } from './interactions.ts'
import { capabilityStatement } from './metadata.ts'
import { type Outcome, refused } from './outcome.ts'
import { createPages } from './pages.ts'
import { createSearchCache } from './search-cache.ts'
import type { ChartProfile, ResourceOf, ResourceType } from './profile.ts'

/** The identifier systems of the patients' numbers. */
export const mrnSystem = 'urn:oid:2.999.1.1'
export const internalIdSystem = 'urn:oid:2.999.1.2'

export interface SeededPatient {
  id?: string
  mrn?: string
  internalId?: string
  /** ISO date. */
  birthDate: string
  /** Given name and family name. */
  name: string
}

/** One request that meant to write, refused ones included. */
export interface Write {
  method: string
  type: string
  /** Of the resource that was written, or that the address named. */
  id: string | undefined
  status: number
}

/** A FHIR R4 server of one vendor's kind, in memory, with the hand of a test on it. */
export interface Chart {
  readonly profile: ChartProfile
  /** The FHIR base, for createFhirEhr. */
  readonly url: string
  readonly writes: readonly Write[]
  /** Resources accepted by POST or PUT, as sent, oldest first. */
  readonly sent: readonly FhirResource[]
  /** Requests so far, by method and type, for example `GET Patient`. */
  readonly requests: ReadonlyMap<string, number>
  /** Returns the patient's id. */
  seedPatient(patient: SeededPatient): string
  /** Puts a resource there as staff or other systems do, even if the interface refuses it. */
  seed<T extends FhirResource>(resource: T): Held<T['resourceType']>
  /** Those that match, or all; oldest first. */
  all<T extends ResourceType>(type: T, matches?: (held: Held<T>) => boolean): Held<T>[]
  /** Changes a resource as staff do, which makes a new version. */
  edit<T extends ResourceType>(type: T, id: string, change: (resource: Held<T>) => void): void
  /** Deletes a resource as staff do. */
  remove(type: ResourceType, id: string): void
  /** Answers the next request that fits, or the next at all except for /metadata, with this status, and does nothing. */
  failNext(failure: { method?: string; type?: string; status: number }): void
  /** Takes the next write, or the next of a type, and cuts the connection before the answer. */
  loseNextAnswer(loss?: { type?: string }): void
  /** Waits so long before every answer. */
  setDelay(delayMs: number): void
  /** Answers everything about a type with this status, as where a scope is missing; without one, as before. */
  refuse(type: ResourceType, status?: number): void
  close(): Promise<void>
}

/** Starts a chart on a free port of 127.0.0.1. With `token`, everything but /metadata asks for it. */
export async function startChart(profile: ChartProfile, options: { token?: string } = {}): Promise<Chart> {
  indexFhirDefinitions()
  const store = createChartStore(profile.idOf)
  const writes: Write[] = []
  const sent: FhirResource[] = []
  const requests = new Map<string, number>()
  const failures: { method?: string; type?: string; status: number }[] = []
  const losses: { type?: string }[] = []
  const refusals = new Map<string, number>()
  const state = { delayMs: 0 }
  const listener: RequestListener = (request, response) =>
    void answer(request, response).catch(() => response.writeHead(500).end())
  const server = await startServer(listener, { host: '127.0.0.1', port: 0 })
  const base = `${server.url}/fhir/R4`
  const cache = createSearchCache((type, id) => store.read(type, id))
  const parts = { profile, store, base, pages: createPages(profile, base), cache }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming)
    if (state.delayMs > 0) await sleep(state.delayMs, undefined, { ref: false })
    const key = `${request.method} ${request.type}`
    requests.set(key, (requests.get(key) ?? 0) + 1)
    const outcome = outcomeOf(request, incoming.headers.authorization)
    if (request.method === 'GET') return send(response, outcome)
    const id = idFrom(outcome) ?? request.id
    writes.push({ method: request.method, type: request.type, id, status: outcome.status })
    if (outcome.status >= 300) return send(response, outcome)
    // The compiler cannot see that an accepted body is a resource.
    if (request.method !== 'PATCH' && request.method !== 'DELETE') sent.push(JSON.parse(request.body) as FhirResource)
    const loss = losses.findIndex(({ type = request.type }) => type === request.type)
    if (loss === -1) return send(response, outcome)
    losses.splice(loss, 1)
    incoming.socket.destroy()
  }

  function outcomeOf(request: ChartRequest, authorization: string | undefined): Outcome {
    const failure = failures.findIndex(
      ({ method = request.method, type = request.type }) =>
        method === request.method && type === request.type && (request.type !== 'metadata' || type === 'metadata'),
    )
    if (failure !== -1) return refused(failures.splice(failure, 1)[0]?.status ?? 500, 'transient', 'as the test said')
    if (request.type === 'metadata') return { status: 200, body: capabilityStatement(profile) }
    if (options.token !== undefined && authorization !== `Bearer ${options.token}`)
      return { ...refused(401, 'login', 'no valid token'), headers: { 'www-authenticate': 'Bearer' } }
    const refusal = refusals.get(request.type)
    return refusal === undefined ? interact(parts, request) : refused(refusal, 'forbidden', 'not for this client')
  }

  const chart: Chart = {
    profile,
    url: base,
    writes,
    sent,
    requests,
    seedPatient({ id, mrn, internalId, birthDate, name }) {
      const identifier = [identifierOf(mrnSystem, mrn), identifierOf(internalIdSystem, internalId)].flat()
      const [given = '', family = ''] = name.split(' ')
      const named = { identifier, name: [{ given: [given], family }], birthDate }
      return chart.seed({ resourceType: 'Patient', ...named, ...(id !== undefined && { id }) }).id
    },
    seed<T extends FhirResource>(resource: T) {
      // The compiler cannot see that what is held of a resource is of its type.
      return store.put(resource) as Held<T['resourceType']>
    },
    all: (type, matches) => store.all(type, matches),
    edit<T extends ResourceType>(type: T, id: string, change: (resource: Held<T>) => void) {
      const [held] = store.all(type, (each) => each.id === id)
      if (held === undefined) throw new Error(`There is no ${type}/${id} to edit.`)
      change(held)
      store.put(held satisfies ResourceOf<T>)
    },
    remove: (type, id) => store.remove(type, id),
    failNext: (failure) => void failures.push(failure),
    loseNextAnswer: (loss = {}) => void losses.push(loss),
    setDelay: (delayMs) => void (state.delayMs = delayMs),
    refuse: (type, status) => void (status === undefined ? refusals.delete(type) : refusals.set(type, status)),
    close: () => server.close(0),
  }
  return chart
}

function identifierOf(system: string, value: string | undefined): Identifier[] {
  return value === undefined ? [] : [{ system, value }]
}

async function readRequest(incoming: IncomingMessage): Promise<ChartRequest> {
  let body = ''
  for await (const chunk of incoming.setEncoding('utf8')) body += String(chunk)
  const url = new URL(incoming.url ?? '', 'http://chart.invalid')
  const [type = '', id] = url.pathname.replace(/^\/fhir\/R4\/?/, '').split('/')
  const {
    'if-match': ifMatch,
    'if-unmodified-since': ifUnmodifiedSince,
    'if-none-exist': ifNoneExist,
    prefer,
    'cache-control': cacheControl,
  } = incoming.headers
  const headers = {
    ifMatch,
    ifUnmodifiedSince,
    ifNoneExist: [ifNoneExist].flat()[0],
    prefer: [prefer].flat()[0],
    cacheControl,
  }
  return { method: incoming.method ?? '', type, id, query: url.searchParams, headers, body }
}

/** The id of what was created, as the answer's Location names it. */
function idFrom({ headers, body }: Outcome): string | undefined {
  return headers?.location?.match(/\/([^/]+)\/_history\//)?.[1] ?? (body && 'id' in body ? String(body.id) : undefined)
}

function send(response: ServerResponse, { status, body, headers }: Outcome): void {
  if (body === undefined) response.writeHead(status, { 'content-length': '0', ...headers }).end()
  else response.writeHead(status, { 'content-type': 'application/fhir+json', ...headers }).end(JSON.stringify(body))
}
