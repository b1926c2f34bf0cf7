import type { FhirResource } from 'fhir/r4.js'
import type { ChartStore, Held } from './chart-store.ts'
import { applyJsonPatch } from './json-patch.ts'
import { objectionTo } from './objections.ts'
import { type Outcome, refused } from './outcome.ts'
import type { ChartProfile, Interaction, ResourceType, TypeRules } from './profile.ts'
import { findMatches } from './search.ts'
import type { Pages } from './pages.ts'
import type { SearchCache } from './search-cache.ts'

/** A request below the server's base. */
export interface ChartRequest {
  method: string
  type: string
  id?: string | undefined
  query: URLSearchParams
  headers: {
    ifMatch?: string | undefined
    ifUnmodifiedSince?: string | undefined
    ifNoneExist?: string | undefined
    prefer?: string | undefined
    cacheControl?: string | undefined
  }
  body: string
}

export interface ChartParts {
  profile: ChartProfile
  store: ChartStore
  pages: Pages
  cache: SearchCache
  /** The server's FHIR base. */
  base: string
}

/** Answers one request as the profile's server would. */
export function interact(chart: ChartParts, request: ChartRequest): Outcome {
  const type = Object.keys(chart.profile.types).find((each): each is ResourceType => each === request.type)
  const rules = type && chart.profile.types[type]
  if (type === undefined || rules === undefined) return refused(404, 'not-supported', 'unknown resource type')
  const interaction = interactionOf(request)
  if (interaction === undefined || !rules.interactions.includes(interaction))
    return refused(chart.profile.refusesInteractionWith, 'not-supported', 'not supported for this type')
  if (interaction === 'search-type') return search(chart, { type, rules, request })
  if (interaction === 'read') return read(chart, type, rules, request.id ?? '')
  if (interaction === 'delete') return remove(chart, type, request.id ?? '')
  const body = parse(request.body)
  if (body === undefined) return refused(400, 'structure', 'the body is not JSON')
  if (interaction === 'patch') return patch(chart, { type, rules, request }, body)
  if (Object(body).resourceType !== type) return refused(400, 'invalid', 'the body is of another type')
  // The compiler cannot see that an invalid body is refused before it is stored.
  const resource = body as FhirResource
  return interaction === 'create'
    ? create(chart, { type, rules, request }, resource)
    : update(chart, { type, rules, request }, resource)
}

interface Target {
  type: ResourceType
  rules: TypeRules
  request: ChartRequest
}

function interactionOf({ method, id }: ChartRequest): Interaction | undefined {
  if (method === 'GET') return id === undefined ? 'search-type' : 'read'
  if (method === 'POST' && id === undefined) return 'create'
  if (method === 'PUT') return 'update'
  if (method === 'DELETE' && id !== undefined) return 'delete'
  return method === 'PATCH' && id !== undefined ? 'patch' : undefined
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function search(chart: ChartParts, { type, rules, request: { query, headers } }: Target): Outcome {
  const page = query.get('_page')
  if (page !== null) return chart.pages.next(page) ?? refused(410, 'expired', 'the page is gone')
  const found = findMatches(chart, type, rules, query)
  if (!Array.isArray(found)) return found
  const matches = chart.cache.matches(`${type}?${query.toString()}`, headers.cacheControl, found)
  const size = chart.profile.count === 'honoured' ? Number(query.get('_count') ?? Infinity) : Infinity
  return chart.pages.first(
    type,
    matches.map((held) => shown(held, rules)),
    size,
  )
}

function read({ store }: ChartParts, type: ResourceType, rules: TypeRules, id: string): Outcome {
  const held = store.read(type, id)
  if (held === undefined) return missing(store, type, id)
  return { status: 200, body: shown(held, rules), headers: versionHeaders(held, rules) }
}

function remove({ store }: ChartParts, type: ResourceType, id: string): Outcome {
  if (store.read(type, id) === undefined) return missing(store, type, id)
  store.remove(type, id)
  return { status: 204 }
}

/** A deleted resource is gone, which is not the same as never there (FHIR R4, 3.1.0.7.1). */
function missing(store: ChartStore, type: string, id: string): Outcome {
  return store.wasThere(type, id)
    ? refused(410, 'deleted', 'it was deleted')
    : refused(404, 'not-found', 'no such resource')
}

function create(chart: ChartParts, target: Target, resource: FhirResource): Outcome {
  const { type, rules, request } = target
  if (rules.conditionalCreate && request.headers.ifNoneExist !== undefined) {
    const matches = findMatches(chart, type, rules, new URLSearchParams(request.headers.ifNoneExist))
    if (!Array.isArray(matches)) return matches
    if (matches.length > 1) return refused(412, 'multiple-matches', 'several match')
    const [match] = matches
    if (match !== undefined) return written(chart, target, 200, match)
  }
  const { id: _id, ...withoutId } = resource
  return store(chart, target, 201, withoutId)
}

function update(chart: ChartParts, target: Target, resource: FhirResource): Outcome {
  const { type, rules, request } = target
  if (request.id === undefined) return updateWhere(chart, target, resource)
  if (resource.id !== request.id) return refused(400, 'invalid', 'the id of the body is not the one of the address')
  const previous = chart.store.read(type, request.id)
  if (previous === undefined)
    return rules.updateCreate ? store(chart, target, 201, resource) : missing(chart.store, type, request.id)
  return outdated(previous, target) ?? store(chart, target, 200, resource)
}

function updateWhere(chart: ChartParts, target: Target, resource: FhirResource): Outcome {
  const { type, rules, request } = target
  if (!rules.conditionalUpdate) return refused(400, 'not-supported', 'no conditional update')
  if (request.query.size === 0) return refused(412, 'required', 'no search parameters')
  const matches = findMatches(chart, type, rules, request.query)
  if (!Array.isArray(matches)) return matches
  if (matches.length > 1) return refused(412, 'multiple-matches', 'several match')
  const [match] = matches
  if (match === undefined) return create(chart, target, resource)
  return outdated(match, target) ?? store(chart, target, 200, { ...resource, id: match.id })
}

function patch(chart: ChartParts, target: Target, operations: unknown): Outcome {
  const { type, request } = target
  const previous = chart.store.read(type, request.id ?? '')
  if (previous === undefined) return refused(404, 'not-found', 'no such resource')
  if (!Array.isArray(operations)) return refused(400, 'structure', 'a JSON patch is a list')
  const conflict = outdated(previous, target)
  if (conflict !== undefined) return conflict
  try {
    // The compiler cannot see that an invalid result of the patch is refused before it is stored.
    const patched = applyJsonPatch(previous, operations) as FhirResource
    return store(chart, target, 200, { ...patched, id: previous.id })
  } catch (error) {
    return refused(422, 'processing', error instanceof Error ? error.message : 'the patch does not fit')
  }
}

/** Why a write comes too late, or without the version that the server insists on. */
function outdated(previous: Held, { rules, request }: Target): Outcome | undefined {
  const { ifMatch, ifUnmodifiedSince } = request.headers
  if (rules.versioning === 'no-version') {
    const isOutdated = Date.parse(previous.meta.lastUpdated) > Date.parse(ifUnmodifiedSince ?? '')
    return isOutdated ? refused(412, 'conflict', 'changed since') : undefined
  }
  if (ifMatch === undefined)
    return rules.versioning === 'versioned-update' ? refused(428, 'required', 'If-Match is missing') : undefined
  return ifMatch === etag(previous) ? undefined : refused(412, 'conflict', 'changed since')
}

function store(chart: ChartParts, target: Target, status: 200 | 201, resource: FhirResource): Outcome {
  const objection = objectionTo(resource, chart, status === 200)
  if (objection !== undefined) return objection
  const { drops = [], complete = (same) => same, updated = (same) => same } = target.rules
  // The compiler cannot see that what a chart drops is optional in FHIR.
  const kept = Object.fromEntries(Object.entries(resource).filter(([name]) => !drops.includes(name))) as FhirResource
  const previous = kept.id === undefined ? undefined : chart.store.read(target.type, kept.id)
  const completed =
    previous === undefined
      ? complete(kept, new Date().toISOString())
      : updated(withHidden(kept, previous, target), previous)
  return written(chart, target, status, chart.store.put(completed))
}

/** Elements hidden from the client stay visible to the test. */
function withHidden(resource: FhirResource, previous: Held, { rules: { hides = [] } }: Target): FhirResource {
  const hidden = Object.entries(previous).filter(([name]) => hides.includes(name))
  return { ...Object.fromEntries(hidden), ...resource }
}

function written({ profile, base }: ChartParts, { rules, request }: Target, status: 200 | 201, held: Held): Outcome {
  const path = `${held.resourceType}/${held.id}/_history/${held.meta.versionId}`
  const isRelative = profile.location === 'both' && Number.parseInt(held.id.slice(-1), 36) % 2 === 0
  const location = { location: isRelative ? path : `${base}/${path}` }
  const headers = { ...versionHeaders(held, rules), ...(status === 201 && location) }
  const isEmpty = profile.answersWritesWith === 'nothing' || request.headers.prefer === 'return=minimal'
  return isEmpty ? { status, headers } : { status, headers, body: shown(held, rules) }
}

function versionHeaders(held: Held, rules: TypeRules): Record<string, string> {
  return rules.versioning === 'no-version' ? {} : { etag: etag(held) }
}

function etag({ meta }: Held): string {
  return `W/"${meta.versionId}"`
}

/** A resource as its readers see it: without a version where the type has none, and without what the chart hides. */
function shown(held: Held, { versioning, hides = [] }: TypeRules): object {
  const seen = Object.fromEntries(Object.entries(held).filter(([name]) => !hides.includes(name)))
  if (versioning !== 'no-version') return seen
  const { versionId: _versionId, ...meta } = held.meta
  return { ...seen, meta }
}
