import type { Digest } from '../../../systems/digest.ts'
import { isDeepStrictEqual } from 'node:util'
import { copyJson } from '../../../base/copy-json.ts'
import type { PatchOperation } from './chart-client.ts'
import type { StoredType } from './chart-types.ts'
import { toInstant } from './mapping/primitives.ts'

/** Any JSON object of FHIR. */
export type Content = Record<string, unknown>

/** What a resource holds beside pawl's content. `unknown`: it must be read before a change. `others`: what staff or the server added. `since`: nothing; pawl first wrote it then. */
export type Rest = 'unknown' | 'others' | { since: string }

/** Times of writing and constant fields, which are not worth a write of their own. */
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
  ClaimResponse: words('identifier status type use patient insurer request outcome'),
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

/** The fields by which mappings are compared: all that pawl writes, except times of writing. */
export function comparedFields(type: StoredType): readonly string[] {
  return [...onlyOurs[type], ...shared[type]]
}

/** Equal for two mappings with the same content, regardless of time, and for the chart's resource that holds no other. */
export function digestOf(digest: Digest, type: StoredType, content: Content): string {
  const said = comparedFields(type).map((name) => [name, canonical(timeless(name, content[name]))])
  return digest(JSON.stringify(said))
}

/** A document's period is its date, a time of writing. */
function timeless(name: string, value: unknown): unknown {
  if (name !== 'context' || !isObject(value)) return value
  const { period: _period, ...rest } = value
  return Object.keys(rest).length === 0 ? undefined : rest
}

/** The same for every order of fields; an attachment's hash stands for its data, which servers may move. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (!isObject(value)) return value
  const names = Object.keys(value).filter((name) => name !== 'data' || value.hash === undefined)
  return Object.fromEntries(names.toSorted().map((name) => [name, canonical(value[name])]))
}

/** What the chart's resource holds beside pawl's content. */
export function restOf(type: StoredType, held: Content, wanted: Content): Rest {
  const { id: _id, meta, text, ...content } = held
  // Generated from fields that the next change makes out of date.
  if (isObject(text) && text.status === 'generated') return 'unknown'
  const isLabelled = isObject(meta) && ['tag', 'security', 'profile'].some((name) => listOf(meta[name]).length > 0)
  const isOurs = Object.entries(content).every(([name, value]) => holdsValue(wanted[name], value))
  const time = wanted[firstWritten[type] ?? '']
  const since = typeof time === 'string' ? toInstant(time) : undefined
  return since === undefined || isLabelled || text !== undefined || !isOurs ? 'others' : { since }
}

/** Changes pawl's fields alone, whatever else the resource holds: `add` replaces, and a field that may be missing is added before it is removed (RFC 6902). */
export function patchOf(type: StoredType, wanted: Content): PatchOperation[] {
  const untouched = new Set(['resourceType', 'id', 'identifier', 'intent', firstWritten[type]])
  const said = Object.entries(wanted).filter(([name]) => !untouched.has(name))
  const unsaid = onlyOurs[type].filter((name) => wanted[name] === undefined)
  const add = ([name, value]: [string, unknown]) => ({ op: 'add' as const, path: `/${name}`, value })
  return [...said.map(add), ...unsaid.flatMap((name) => [add([name, []]), { op: 'remove' as const, path: `/${name}` }])]
}

/** Whether the chart's resource has all wanted content; additions by the chart or its users are fine. Fields dropped at an earlier write of the same content (`isRepeated`) may be missing. */
export function holds(type: StoredType, held: Content, wanted: Content, isRepeated: boolean): boolean {
  const isStale = onlyOurs[type].some((name) => wanted[name] === undefined && held[name] !== undefined)
  if (isStale) return false
  return Object.entries(wanted)
    .filter(([name]) => !incidental[type].includes(name) && !(isRepeated && held[name] === undefined))
    .every(([name, value]) => (name === 'identifier' ? holdsEach(held[name], value) : holdsValue(held[name], value)))
}

/** The chart's resource with pawl's fields updated; the fields of others stay. */
export function merge(type: StoredType, held: Content, wanted: Content): Content {
  const merged: Content = { ...held, ...wanted }
  for (const name of onlyOurs[type]) if (wanted[name] === undefined) delete merged[name]
  const ours = listOf(wanted.identifier)
  const others = listOf(held.identifier).filter((each) => !ours.some((own) => holdsValue(each, own)))
  merged.identifier = [...ours, ...others]
  // A narrative that the server generated from the old fields is out of date.
  const narrative = held.text
  if (isObject(narrative) && narrative.status === 'generated') delete merged.text
  return merged
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
