import { z } from 'zod'
import { type Answer, exchange, type ExchangeDeps, type ExchangeRequest, type ExchangeRun } from '../../exchange.ts'
import { EhrWriteFailed } from '../ehr-write-failed.ts'
import type { TokenProvider } from './auth/token-provider.ts'
import { failureIn, issueCodes } from './issue-codes.ts'
import { parseJson } from '../../../base/parse-json.ts'
import type { NamedIdentifier } from './mapping/references.ts'

export interface ChartClientDeps extends ExchangeDeps {
  /** The server's FHIR R4 base. */
  baseUrl: string
  tokens: TokenProvider
}

/** FHIR's `id`, read a little wider: it is kept in the ledger, which must not hold just any text of another system. */
const Id = z.string().regex(/^[\w.~:-]{1,128}$/)

const Stored = z.looseObject({
  resourceType: z.string(),
  id: Id,
  meta: z.looseObject({ versionId: Id.optional().catch(undefined) }).optional(),
  identifier: z
    .array(z.looseObject({ system: z.string().optional(), value: z.string().optional() }))
    .optional()
    .catch(undefined),
})

/** A resource as a server holds it. */
export type StoredResource = z.infer<typeof Stored>

const Page = z.looseObject({
  resourceType: z.literal('Bundle'),
  entry: z.array(z.looseObject({ resource: z.unknown() })).optional(),
  link: z
    .array(z.looseObject({ relation: z.string(), url: z.string() }))
    .optional()
    .catch(undefined),
})

const ABinary = z.looseObject({ resourceType: z.literal('Binary'), data: z.string() })

/** What a write left in the chart; the id is absent where the server does not tell it. */
export interface WrittenResource {
  id: string | undefined
  version: string | undefined
}

/** A search goes through so many pages, lest a server that never ends holds a run; one ends long before by its time. */
const maxPages = 1_000

/** The interactions of a FHIR R4 server that pawl uses, for one run. All throw `EhrWriteFailed`. */
export interface ChartClient {
  /** What `GET /metadata` answers: a CapabilityStatement, or whatever it is. */
  metadata(this: void): Promise<unknown>
  /** The resource of that id; absent where there is none (any more). */
  read(this: void, type: string, id: string): Promise<StoredResource | undefined>
  /** All that the server returns of the type for these parameters, page after page; whatever else it puts between them is left out. */
  search(this: void, type: string, parameters: Record<string, string>): Promise<StoredResource[]>
  /** Creates, unless the server knows If-None-Exist, is asked for it and finds one. */
  create(this: void, type: string, resource: object, ifNoneExist?: NamedIdentifier): Promise<WrittenResource>
  /** Creates or replaces what carries the identifier. */
  conditionalUpdate(this: void, type: string, identifier: NamedIdentifier, resource: object): Promise<WrittenResource>
  /** Deletes what a check created. */
  remove(this: void, type: string, id: string): Promise<void>
  /** What is behind the address of an attachment, as text; absent where it is not on this server, or is not shown. */
  readText(this: void, url: string): Promise<string | undefined>
  /** The id that a reference names a resource of this type by, where that is one of this server. */
  idOf(this: void, type: string, reference: string | undefined): string | undefined
  /** Replaces the resource as it was found: with If-Match where the server has versions. */
  update(this: void, type: string, id: string, version: string | undefined, resource: object): Promise<WrittenResource>
}

/** What a client needs to know of its run. */
export type ChartRun = ExchangeRun & { resourceId: string }

/** What is asked of a server, as errors name it. */
interface Action {
  name: string
  isSearch?: boolean
  /** It goes by an identifier that several may carry. */
  isConditional?: boolean
  /** That there is no such resource is an answer. */
  mayBeGone?: boolean
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
      // The token may have ended early: with another one the same request may pass.
      deps.tokens.refused(token)
      const next = await deps.tokens.token(run.signal)
      if (next !== token) answer = await exchange(deps, run, url, withToken(traced, next))
    }
    if (answer.ok) return { ...answer, json: parseJson(answer.text) }
    const { status, retry, isOutage, mayBeOutage, request: kind } = answer
    const codes = issueCodes(answer.text)
    const { name, isSearch = false, isConditional = false } = action
    const hasSeveral = codes.includes('multiple-matches') || (status === 412 && isConditional)
    throw new EhrWriteFailed({
      resourceType: type,
      resourceId: run.resourceId,
      action: name,
      reason: [answer.reason, ...codes].join(', '),
      status,
      isSearch,
      isGone: isGone(status, answer.text),
      // Several that match will match again, until somebody merges them (FHIR R4, conditional update).
      retry: hasSeveral ? 'never' : retry,
      isOutage,
      mayBeOutage,
      request: kind,
      advice: retry === 'never' || hasSeveral ? adviceOf(type, { status, hasSeveral, isSearch }) : undefined,
    })
  }

  /** `/Task` and `/Task/{id}`: searches are about patients, and ids may be. */
  function templateOf(url: string): string {
    const [, type = '', id] = url.slice(baseUrl.length).split('?', 1)[0]?.split('/') ?? []
    return id === undefined ? `/${type}` : `/${type}/{id}`
  }

  function unreadable(type: string, { name: action }: Action, status: number): EhrWriteFailed {
    const reason = `HTTP ${status} with an answer that is not what FHIR R4 says`
    return new EhrWriteFailed({
      resourceType: type,
      resourceId: run.resourceId,
      action,
      reason,
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
    const answer = await send(type, action, url, { ...request, headers, body: JSON.stringify(body) })
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
        const resources = page.data.entry?.map(({ resource }) => Stored.safeParse(resource).data) ?? []
        found.push(...resources.filter((each) => each?.resourceType === type).filter((each) => each !== undefined))
        const next = page.data.link?.find(({ relation }) => relation === 'next')?.url
        if (next !== undefined && !URL.canParse(next, url)) throw unreadable(type, action, answer.status)
        url = next === undefined ? undefined : onServer(new URL(next, url), baseUrl)
      }
      return found
    },
    create(type, resource, ifNoneExist) {
      const headers: Record<string, string> =
        ifNoneExist === undefined ? {} : { 'if-none-exist': queryOf({ identifier: searchToken(ifNoneExist) }) }
      return write(type, { name: `create ${type}` }, `${baseUrl}/${type}`, { method: 'POST', headers }, resource)
    },
    conditionalUpdate(type, identifier, resource) {
      const url = `${baseUrl}/${type}?${queryOf({ identifier: searchToken(identifier) })}`
      return write(
        type,
        { name: `update ${type} by identifier`, isConditional: true },
        url,
        { method: 'PUT', headers: {} },
        resource,
      )
    },
    async remove(type, id) {
      await send(type, { name: `delete ${type}` }, `${baseUrl}/${type}/${id}`, { method: 'DELETE', headers: {} })
    },
    async readText(url) {
      const address = new URL(url, `${baseUrl}/`)
      if (address.origin !== new URL(baseUrl).origin) return undefined
      const action = { name: 'read Binary' }
      try {
        const answer = await send('Binary', action, address.href, { method: 'GET', headers: {} })
        // Asked for FHIR, a server may show it as a Binary (FHIR R4, 2.40.4).
        const { data } = ABinary.safeParse(answer.json)
        return data === undefined ? answer.text : Buffer.from(data.data, 'base64').toString('utf8')
      } catch (error) {
        if (error instanceof EhrWriteFailed && error.retry === 'never') return undefined
        throw error
      }
    },
    idOf(type, reference = '') {
      // The same id on another server is somebody else.
      const path = reference.startsWith(`${baseUrl}/`) ? reference.slice(baseUrl.length + 1) : reference
      const [named, id, ...rest] = path.split('/')
      const isPlain = rest.length === 0 || (rest.length === 2 && rest[0] === '_history')
      return named === type && isPlain ? Id.safeParse(id).data : undefined
    },
    update(type, id, version, resource) {
      const headers: Record<string, string> = version === undefined ? {} : { 'if-match': `W/"${version}"` }
      const url = `${baseUrl}/${type}/${id}`
      return write(type, { name: `update ${type}` }, url, { method: 'PUT', headers }, { ...resource, id })
    },
  }
}

/** A 404 that no FHIR server wrote may be of a proxy whose server is away. */
function isGone(status: number | undefined, text: string): boolean {
  return status === 410 || (status === 404 && issueCodes(text).length > 0)
}

/** A token search value, with the characters that FHIR gives a meaning escaped (R4, 3.1.1.4.0.1). */
export function searchToken({ system, value }: { system?: string | undefined; value: string }): string {
  const parts = system === undefined ? [value] : [system, value]
  return parts.map((part) => part.replace(/[\\$,|]/g, String.raw`\$&`)).join('|')
}

type SentAnswer = Extract<Answer, { ok: true }> & { json: unknown }

function withToken(request: ExchangeRequest, token: string | undefined): ExchangeRequest {
  const headers: Record<string, string> = { accept: 'application/fhir+json', ...request.headers }
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  return { ...request, headers }
}

function queryOf(parameters: Record<string, string>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
}

const versionTag = /^(?:W\/)?"([\w.~:-]{1,128})"$/

/** Some servers tell the version in the header alone. */
function withVersionOf(answer: SentAnswer, stored: StoredResource): StoredResource {
  const version = versionTag.exec(answer.headers.get('etag') ?? '')?.[1]
  if (stored.meta?.versionId !== undefined || version === undefined) return stored
  return { ...stored, meta: { ...stored.meta, versionId: version } }
}

/** A server may take a write without showing what it made of it, and name it in `Location` alone (FHIR R4, create). */
function writtenBy(answer: SentAnswer): WrittenResource {
  const { data } = Stored.safeParse(answer.json)
  if (data !== undefined && data.resourceType !== 'OperationOutcome') {
    return { id: data.id, version: withVersionOf(answer, data).meta?.versionId }
  }
  const location = answer.headers.get('location') ?? answer.headers.get('content-location') ?? ''
  const [, id, version] = /\/([\w.~:-]{1,128})(?:\/_history\/([\w.~:-]{1,128}))?\/?$/.exec(location) ?? []
  return { id, version: version ?? versionTag.exec(answer.headers.get('etag') ?? '')?.[1] }
}

/** The next page on the server that the token is for: one behind a proxy may name itself otherwise. */
function onServer(next: URL, baseUrl: string): string {
  return `${new URL(baseUrl).origin}${next.pathname}${next.search}`
}

function adviceOf(
  type: string,
  { status, hasSeveral, isSearch }: { status: number | undefined; hasSeveral: boolean; isSearch: boolean },
): string {
  if (hasSeveral) return 'Several resources of the chart carry its identifier: keep one, then retry the parked work.'
  if (type === 'Patient') {
    return `See that pawl's credentials may read and search patients; then retry the parked work. pawl ehr check tries it.`
  }
  if (status === 404 || status === 410) {
    return `It was not found: see that FHIR_BASE_URL is right and no proxy answers in the chart's place, that the chart has ${type} (pawl ehr check tells), and whether somebody deleted there what pawl wrote; then retry the parked work.`
  }
  if (status === 401 || status === 403) {
    return `Give pawl's credentials the right to it, or set FHIR_STRATEGIES=${type}=skip; then retry the parked work.`
  }
  if (isSearch && status === 400) {
    return `Set FHIR_STRATEGIES=${type}=remember if the chart cannot search by it; then retry the parked work.`
  }
  if (type === 'Communication') {
    return `The chart refuses it: name who reads messages in FHIR_MESSAGE_RECIPIENT, or set FHIR_STRATEGIES=Communication=skip, which files them as documents; then retry the parked work.`
  }
  return `The chart refuses it: correct the mapping, or set FHIR_STRATEGIES=${type}=skip; then retry the parked work. pawl ehr check says what the chart takes.`
}
