import type { Digest } from '@pawl/connector/digest'
import { isDeepStrictEqual } from 'node:util'
import { copyJson } from '@pawl/base/copy-json'
import type { PatchOperation } from './chart-client.ts'
import type { StoredType } from './chart-types.ts'
import { toInstant } from '../primitives.ts'

/** Any JSON object of FHIR. */
export type Content = Record<string, unknown>

/** Foreign content of a resource. `unknown`: read it before a change. `others`: staff or the server added some. `since`: none; pawl first wrote the resource then. */
export type Rest = 'unknown' | 'others' | { since: string }

/** Times of writing and constant fields, which alone cause no write. */
const incidental: Record<StoredType, readonly string[]> = {
  Task: ['authoredOn', 'lastModified', 'intent'],
  ClaimResponse: ['created'],
  CoverageEligibilityResponse: ['created'],
  Coverage: [],
  Communication: [],
  DocumentReference: ['date'],
}

/** The time of pawl's first write, which later ones keep. */
export const firstWritten: Partial<Record<StoredType, string>> = {
  Task: 'authoredOn',
  ClaimResponse: 'created',
  CoverageEligibilityResponse: 'created',
  DocumentReference: 'date',
}

/** Fields that only pawl writes, removed again when they no longer apply. */
const onlyOurs: Record<StoredType, readonly string[]> = {
  Task: ['basedOn', 'statusReason', 'description', 'input', 'output'],
  ClaimResponse: ['disposition', 'preAuthPeriod', 'item', 'processNote'],
  CoverageEligibilityResponse: ['disposition', 'error'],
  Coverage: ['subscriberId', 'class'],
  Communication: ['payload'],
  DocumentReference: ['description'],
}

const words = (text: string) => text.split(/\s+/)

/** Fields that pawl and others write. */
const shared: Record<StoredType, readonly string[]> = {
  Task: words('identifier partOf focus for status businessStatus priority code reasonCode requester owner restriction'),
  ClaimResponse: words('identifier status type use patient insurer requestor request outcome'),
  CoverageEligibilityResponse: words('identifier status purpose patient request outcome insurer insurance'),
  Coverage: words('identifier status beneficiary payor relationship period'),
  Communication: words('identifier partOf status subject sent sender recipient category'),
  DocumentReference: words('identifier status docStatus type category subject author content context'),
}

/** A mapped resource as JSON carries it. */
export function toContent(resource: object): Content {
  // The compiler cannot see that a FHIR resource is a JSON object.
  return copyJson(resource) as Content
}

const perType = <T>(make: (type: StoredType) => T) =>
  // The keys of a record of all types are the types.
  Object.fromEntries(Object.keys(shared).map((type) => [type, make(type as StoredType)])) as Record<StoredType, T>

/** The fields by which mappings are compared: all that pawl writes, except times of writing. */
export const comparedFields = perType((type): readonly string[] => [...onlyOurs[type], ...shared[type]])

/** All fields of mappings. */
const mapped = perType((type) => new Set(['resourceType', 'id', 'meta', ...comparedFields[type], ...incidental[type]]))

/**
 * Digest of a mapping's content, without times; a chart's resource with that content has the same one. It ends with the names of fields that
 * a profile or a fork's shape added, such as `+extension`; of the chart's further fields only those count.
 */
export function digestOf(digest: Digest, type: StoredType, content: Content, added = addedTo(type, content)): string {
  let said = ''
  for (const name of comparedFields[type]) said += `${name}:${canonical(timeless(name, content[name]))};`
  for (const name of added) said += `${name}:${dateless(canonical(content[name]), content)};`
  return [digest(said), ...added].join('+')
}

/** The added fields that a digest names. */
export function addedIn(digest: string | undefined): readonly string[] {
  return digest?.split('+').slice(1) ?? []
}

/** Fields that a profile or a fork's shape added to the mapping's own, except labels, where other systems add theirs. */
function addedTo(type: StoredType, content: Content): readonly string[] {
  return Object.keys(content)
    .filter((name) => !mapped[type].has(name))
    .toSorted()
}

/** Without the day of the document, a time of writing. */
function dateless(said: string, { date }: Content): string {
  return typeof date === 'string' ? said.replaceAll(date.slice(0, 'yyyy-mm-dd'.length), '') : said
}

/** A document's period is its date, a time of writing. */
function timeless(name: string, value: unknown): unknown {
  if (name !== 'context' || !isObject(value)) return value
  const { period: _period, ...rest } = value
  return Object.keys(rest).length === 0 ? undefined : rest
}

/** A text that identifies a value regardless of the order of fields. An attachment's hash stands for its data, which servers may move. */
function canonical(value: unknown): string {
  // A length before each text replaces quoting: JSON.stringify on hundreds of values would dominate the cost.
  if (typeof value === 'string') return `${value.length}"${value}`
  let said = ''
  if (Array.isArray(value)) {
    for (const item of value) said += `${canonical(item)},`
    return `[${said}]`
  }
  if (!isObject(value)) return String(value)
  for (const name of namesOf(value))
    if (name !== 'data' || value.hash === undefined) said += `${name.length}"${name}:${canonical(value[name])},`
  return `{${said}}`
}

/** The sorted field names. Most objects have a few, nearly sorted: an insertion sort in place allocates nothing. */
function namesOf(value: Content): readonly string[] {
  const names = Object.keys(value)
  if (names.length > 32) return names.toSorted()
  for (let at = 1; at < names.length; at += 1) {
    const name = names[at] ?? ''
    let to = at
    for (let before = names[to - 1]; before !== undefined && before > name; before = names[to - 1]) {
      names[to] = before
      to -= 1
    }
    names[to] = name
  }
  return names
}

/** Foreign content of the chart's resource. */
export function restOf(type: StoredType, held: Content, wanted: Content): Rest {
  const { id: _id, meta, text, ...content } = held
  // A generated narrative is stale after the next change.
  if (isObject(text) && text.status === 'generated') return 'unknown'
  const isLabelled = isObject(meta) && ['tag', 'security', 'profile'].some((name) => listOf(meta[name]).length > 0)
  const isOurs = Object.entries(content).every(([name, value]) => holdsValue(wanted[name], value))
  const time = wanted[firstWritten[type] ?? '']
  const since = typeof time === 'string' ? toInstant(time) : undefined
  return since === undefined || isLabelled || text !== undefined || !isOurs ? 'others' : { since }
}

/** Changes pawl's fields alone and no foreign content: `add` replaces, and a field that may be missing is added before it is removed (RFC 6902). `added`: fields that pawl added before. */
export function patchOf(type: StoredType, wanted: Content, added: readonly string[]): PatchOperation[] {
  const untouched = new Set(['resourceType', 'id', 'identifier', 'intent', 'meta', firstWritten[type]])
  const said = Object.entries(wanted).filter(([name]) => !untouched.has(name))
  const unsaid = [...onlyOurs[type], ...added].filter((name) => wanted[name] === undefined)
  const add = ([name, value]: [string, unknown]) => ({ op: 'add' as const, path: `/${name}`, value })
  return [...said.map(add), ...unsaid.flatMap((name) => [add([name, []]), { op: 'remove' as const, path: `/${name}` }])]
}

/** Whether the chart's resource has all wanted content; additions by the chart or its users are fine. Fields dropped at an earlier write of the same content (`isRepeated`) may be missing. `added`: fields that pawl added before. */
export function holds(
  type: StoredType,
  held: Content,
  wanted: Content,
  { isRepeated, added }: { isRepeated: boolean; added: readonly string[] },
): boolean {
  const isStale = [...onlyOurs[type], ...added].some((name) => wanted[name] === undefined && held[name] !== undefined)
  if (isStale) return false
  return Object.entries(wanted)
    .filter(
      ([name]) => name !== 'meta' && !incidental[type].includes(name) && !(isRepeated && held[name] === undefined),
    )
    .every(([name, value]) => (name === 'identifier' ? holdsEach(held[name], value) : holdsValue(held[name], value)))
}

/** The chart's resource with pawl's fields updated; the fields of others stay. `added`: fields that pawl added before. */
export function merge(type: StoredType, held: Content, wanted: Content, added: readonly string[] = []): Content {
  const merged: Content = { ...held, ...wanted, ...metaOf(held, wanted) }
  for (const name of [...onlyOurs[type], ...added]) if (wanted[name] === undefined) delete merged[name]
  const names = withOthers(wanted.identifier, held.identifier)
  // A chart that keeps no identifiers shows none, and FHIR knows no empty list.
  if (names.length > 0) merged.identifier = names
  else delete merged.identifier
  // A narrative that the server generated from the old fields is out of date.
  const narrative = held.text
  if (wanted.text === undefined && isObject(narrative) && narrative.status === 'generated') delete merged.text
  return merged
}

/** The server's own parts, with the labels of all. */
function metaOf({ meta: held }: Content, { meta: wanted }: Content): Content {
  if (!isObject(held) || !isObject(wanted)) return {}
  const labels = Object.entries(wanted).filter(([, value]) => Array.isArray(value))
  const joined = labels.map(([name, value]) => [name, withOthers(value, held[name])])
  return { meta: { ...held, ...wanted, ...Object.fromEntries(joined) } }
}

function withOthers(ours: unknown, held: unknown): unknown[] {
  const own = listOf(ours)
  return [...own, ...listOf(held).filter((each) => !own.some((one) => holdsValue(each, one)))]
}

function holdsEach(held: unknown, wanted: unknown): boolean {
  return listOf(wanted).every((each) => listOf(held).some((other) => holdsValue(other, each)))
}

function holdsValue(held: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    const values = listOf(held)
    return values.length === wanted.length && wanted.every((each, at) => holdsValue(values[at], each))
  }
  if (isObject(wanted)) {
    if (!isObject(held)) return false
    // Servers may move an attachment's bytes elsewhere; its hash stays.
    const isSameFile = wanted.hash !== undefined && wanted.hash === held.hash
    return Object.entries(wanted).every(([name, value]) =>
      isSameFile && name === 'data' ? true : holdsValue(held[name], value),
    )
  }
  return isDeepStrictEqual(held, wanted) || isSameInstant(held, wanted)
}

const dateTime = /^\d{4}-\d{2}-\d{2}T/

function isSameInstant(held: unknown, wanted: unknown): boolean {
  if (typeof held !== 'string' || typeof wanted !== 'string') return false
  return dateTime.test(held) && dateTime.test(wanted) && Date.parse(held) === Date.parse(wanted)
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function isObject(value: unknown): value is Content {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
