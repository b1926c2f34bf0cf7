import { z } from 'zod'
import { exchange, type ExchangeDeps, type ExchangeRequest, type ExchangeRun } from '@pawl/connector/exchange'
import { EhrWriteFailed } from '../ehr-write-failed.ts'
import type { TokenProvider } from './auth/token-provider.ts'
import { adviceOf, draftAdvice } from './chart-advice.ts'
import { failureIn, issueCodes } from './issue-codes.ts'
import { parseJson } from '@pawl/base/parse-json'
import type { NamedIdentifier } from './mapping/references.ts'
import { nextAddress, Page } from './search-page.ts'
import { searchToken } from './search-token.ts'
import {
  Id,
  type SentAnswer,
  Stored,
  type StoredResource,
  withVersionOf,
  type WrittenResource,
  writtenBy,
} from './stored-resource.ts'

export interface ChartClientDeps extends ExchangeDeps {
  /** The server's FHIR R4 base. */
  baseUrl: string
  tokens: TokenProvider
  /** The vendor's demands beyond R4 that a refused resource of a type may have missed, as a clause. Undefined while unknown, and if there are none. */
  demandsOf?(this: void, type: string, sent: object | undefined): string | undefined
  /** Only reads, to start requests. */
  isForDrafts?: boolean
}

const ABinary = z.looseObject({ resourceType: z.literal('Binary'), data: z.string() })

/** One operation of a JSON patch (RFC 6902). */
export interface PatchOperation {
  op: 'add' | 'remove' | 'test'
  path: string
  value?: unknown
}

/** Page limit of one search, against endless paging; time limits usually stop it far earlier. */
const maxPages = 1_000

/** The interactions of a FHIR R4 server that pawl uses, for one run. All throw `EhrWriteFailed`. */
export interface ChartClient {
  /** The answer of `GET /metadata`, unchecked. */
  metadata(this: void): Promise<unknown>
  /** The resource with that id; undefined if it is absent or deleted. */
  read(this: void, type: string, id: string): Promise<StoredResource | undefined>
  /** All resources of the type for these parameters, page by page, without other types in the answer. */
  search(this: void, type: string, parameters: Record<string, string>): Promise<StoredResource[]>
  /** Creates, unless `ifNoneExist` is given, the server supports If-None-Exist and finds one. */
  create(this: void, type: string, resource: object, ifNoneExist?: NamedIdentifier): Promise<WrittenResource>
  /** Creates or replaces the resource that carries the identifier. */
  conditionalUpdate(this: void, type: string, identifier: NamedIdentifier, resource: object): Promise<WrittenResource>
  /** Deletes a resource that a check created. */
  remove(this: void, type: string, id: string): Promise<void>
  /** The bytes of an attachment by its address; undefined if it is on another server or not readable. Content other than text is read as a Binary only. */
  readAttachment(this: void, url: string): Promise<Uint8Array | undefined>
  /** The id in a reference to a resource of this type on this server; undefined for other references. */
  idOf(this: void, type: string, reference: string | undefined): string | undefined
  /** Replaces the resource only if unchanged since it was read: with If-Match where the server has versions, else with If-Unmodified-Since, which servers may ignore. */
  update(this: void, type: string, id: string, seen: Seen, resource: object): Promise<WrittenResource>
  /** Changes the resource only if it still has this version. */
  patch(
    this: void,
    type: string,
    id: string,
    version: string,
    operations: readonly PatchOperation[],
  ): Promise<WrittenResource>
}

/** The version of a resource, as the server stated it when read. */
type Seen = { versionId?: string | undefined; lastUpdated?: string | undefined }

/** The part of a run that a client uses. */
export type ChartRun = ExchangeRun & { resourceId: string }

/** An interaction, as errors name it. */
interface Action {
  name: string
  isSearch?: boolean
  /** Addressed by an identifier. */
  conditional?: 'create' | 'update' | undefined
  /** A missing resource is a valid answer. */
  mayBeGone?: boolean
  /** The resource that it sends whole. */
  sent?: object
}

/** Makes the client of one run. */
export function createChartClient(deps: ChartClientDeps, run: ChartRun): ChartClient {
  const baseUrl = deps.baseUrl.replace(/\/+$/, '')

  async function send(type: string, action: Action, url: string, request: ExchangeRequest): Promise<SentAnswer> {
    const token = await deps.tokens.token(run.signal)
    const read: ExchangeRequest['read'] = (status, text) => {
      if (status >= 200 && status < 300) return failureIn(status, text)
      return action.mayBeGone === true && isGone(status, text) ? 'answered' : undefined
    }
    const traced = { ...request, template: templateOf(url), read }
    let answer = await exchange(deps, run, url, withToken(traced, token))
    if (answer.status === 401 && token !== undefined) {
      // The token may have been revoked early: a new one may work.
      deps.tokens.refused(token)
      const next = await deps.tokens.token(run.signal)
      if (next !== token) answer = await exchange(deps, run, url, withToken(traced, next))
    }
    if (answer.ok) return { ...answer, json: parseJson(answer.text) }
    const { status, retry, isOutage, mayBeOutage, costsAttempt, request: kind } = answer
    const codes = issueCodes(answer.text)
    const { name, isSearch = false, conditional } = action
    // A bare 412 proves nothing: some servers send it for a while, or always.
    const hasSeveral = codes.includes('multiple-matches')
    throw new EhrWriteFailed({
      resourceType: type,
      resourceId: run.resourceId,
      action: name,
      reason: [answer.reason, ...codes].join(', '),
      status,
      isSearch,
      isGone: isGone(status, answer.text),
      conditional,
      // Several matches stay several until staff merge them (FHIR R4, conditional update).
      retry: hasSeveral ? 'never' : retry,
      isOutage,
      mayBeOutage,
      costsAttempt,
      request: kind,
      advice:
        retry === 'never' || hasSeveral
          ? deps.isForDrafts
            ? draftAdvice(type)
            : adviceOf(type, { status, hasSeveral, isSearch, demands: deps.demandsOf?.(type, action.sent) })
          : undefined,
    })
  }

  /** `/Task` or `/Task/{id}`, without query and id, which may identify patients. */
  function templateOf(url: string): string {
    const [, type = '', id] = url.slice(baseUrl.length).split('?', 1)[0]?.split('/') ?? []
    return id === undefined ? `/${type}` : `/${type}/{id}`
  }

  function unreadable(type: string, { name: action }: Action, status: number): EhrWriteFailed {
    const reason = `HTTP ${status} with an answer that is not valid FHIR R4`
    return new EhrWriteFailed({
      resourceType: type,
      resourceId: run.resourceId,
      action,
      reason,
      status,
      retry: 'backoff',
      isOutage: false,
    })
  }

  async function write(
    type: string,
    action: Action,
    url: string,
    request: Omit<ExchangeRequest, 'body'>,
    body: object,
  ) {
    const headers = { 'content-type': 'application/fhir+json', prefer: 'return=representation', ...request.headers }
    const sent = Array.isArray(body) ? {} : { sent: body }
    const answer = await send(type, { ...action, ...sent }, url, { ...request, headers, body: JSON.stringify(body) })
    return writtenBy(answer)
  }

  return {
    async metadata() {
      const request: ExchangeRequest = { method: 'GET', headers: {} }
      return (await send('CapabilityStatement', { name: 'read metadata' }, `${baseUrl}/metadata`, request)).json
    },
    async read(type, id) {
      const action = { name: `read ${type}`, mayBeGone: true }
      try {
        if (!Id.safeParse(id).success) return undefined
        const answer = await send(type, action, `${baseUrl}/${type}/${id}`, { method: 'GET', headers: {} })
        const { data } = Stored.safeParse(answer.json)
        if (data?.resourceType !== type || data.id !== id) throw unreadable(type, action, answer.status)
        return withVersionOf(answer, data)
      } catch (error) {
        if (error instanceof EhrWriteFailed && error.isGone) return undefined
        throw error
      }
    },
    async search(type, parameters) {
      const action = { name: `search ${type} by ${Object.keys(parameters).join(' and ')}`, isSearch: true }
      const found: StoredResource[] = []
      let url: string | undefined = `${baseUrl}/${type}?${queryOf(parameters)}`
      for (let pages = 0; url !== undefined && pages < maxPages; pages += 1) {
        const answer: SentAnswer = await send(type, action, url, { method: 'GET', headers: {} })
        const page = Page.safeParse(answer.json)
        if (!page.success) throw unreadable(type, action, answer.status)
        for (const { resource } of page.data.entry?.filter((each) => each.resource.resourceType === type) ?? []) {
          const stored = Stored.safeParse(resource)
          // Skipped, it would count as absent and be written again.
          if (!stored.success) throw unreadable(type, action, answer.status)
          found.push(stored.data)
        }
        const next = nextAddress(page.data, { type, url, baseUrl })
        if (next === 'invalid') throw unreadable(type, action, answer.status)
        url = next?.href
      }
      return found
    },
    create(type, resource, ifNoneExist) {
      const headers: Record<string, string> =
        ifNoneExist === undefined ? {} : { 'if-none-exist': queryOf({ identifier: searchToken(ifNoneExist) }) }
      const action: Action = { name: `create ${type}`, conditional: ifNoneExist && 'create' }
      return write(type, action, `${baseUrl}/${type}`, { method: 'POST', headers }, resource)
    },
    conditionalUpdate(type, identifier, resource) {
      const url = `${baseUrl}/${type}?${queryOf({ identifier: searchToken(identifier) })}`
      return write(
        type,
        { name: `update ${type} by identifier`, conditional: 'update' },
        url,
        { method: 'PUT', headers: {} },
        resource,
      )
    },
    async remove(type, id) {
      await send(type, { name: `delete ${type}` }, `${baseUrl}/${type}/${id}`, { method: 'DELETE', headers: {} })
    },
    async readAttachment(url) {
      const address = new URL(url, `${baseUrl}/`)
      if (address.origin !== new URL(baseUrl).origin) return undefined
      const action = { name: 'read Binary' }
      try {
        const answer = await send('Binary', action, address.href, { method: 'GET', headers: {} })
        // To a request for FHIR, a server may answer with a Binary (FHIR R4, 2.40.4).
        const { data } = ABinary.safeParse(answer.json)
        return data === undefined ? Buffer.from(answer.text) : Buffer.from(data.data, 'base64')
      } catch (error) {
        if (error instanceof EhrWriteFailed && error.retry === 'never') return undefined
        throw error
      }
    },
    idOf(type, reference = '') {
      // The same id on another server is another resource.
      const path = reference.startsWith(`${baseUrl}/`) ? reference.slice(baseUrl.length + 1) : reference
      const [named, id, ...rest] = path.split('/')
      const isPlain = rest.length === 0 || (rest.length === 2 && rest[0] === '_history')
      return named === type && isPlain ? Id.safeParse(id).data : undefined
    },
    update(type, id, seen, resource) {
      const headers = unlessChangedSince(seen)
      const url = `${baseUrl}/${type}/${id}`
      return write(type, { name: `update ${type}` }, url, { method: 'PUT', headers }, { ...resource, id })
    },
    patch(type, id, version, operations) {
      const headers = { 'content-type': 'application/json-patch+json', 'if-match': `W/"${version}"` }
      const url = `${baseUrl}/${type}/${id}`
      return write(type, { name: `patch ${type}` }, url, { method: 'PATCH', headers }, operations)
    },
  }
}

/** The header by which the server refuses (412) to replace a resource that others changed since. */
function unlessChangedSince({ versionId, lastUpdated = '' }: Seen): Record<string, string> {
  if (versionId !== undefined) return { 'if-match': `W/"${versionId}"` }
  const readAt = Date.parse(lastUpdated)
  // The header counts in seconds: rounded down, it would refuse an unchanged resource.
  return Number.isNaN(readAt)
    ? {}
    : { 'if-unmodified-since': new Date(Math.ceil(readAt / 1_000) * 1_000).toUTCString() }
}

/** Only a 404 in FHIR's form counts: a bare one may come from a proxy whose server is down. */
function isGone(status: number | undefined, text: string): boolean {
  return status === 410 || (status === 404 && issueCodes(text).length > 0)
}

function withToken(request: ExchangeRequest, token: string | undefined): ExchangeRequest {
  // An absence decides a write: bypass caches of the chart and of proxies.
  const fresh = request.method === 'GET' && { 'cache-control': 'no-cache' }
  const headers: Record<string, string> = { accept: 'application/fhir+json', ...fresh, ...request.headers }
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  return { ...request, headers }
}

function queryOf(parameters: Record<string, string>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
}
