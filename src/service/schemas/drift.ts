import { documents, type ResourceKind } from './kinds.ts'
import { type Shape, shapeOf } from './shape.ts'

/** The kinds of things that the service can add: a type of event, a field of the envelope, a claim of the token, a status, any other code, a field of a resource. */
export const driftKinds = ['event_type', 'envelope_field', 'claim', 'status', 'code', 'field'] as const
export type DriftKind = (typeof driftKinds)[number]

/** Something that the catalogue does not know: names and codes, never content. */
export interface Unknown {
  kind: DriftKind
  /** Where it stands: a path such as `prior_authorization.outcome.detail_code`, with `[]` for any item of a list, or a name. */
  name: string
  /** The unknown code or event type; empty where the name itself is what is unknown. */
  value: string
}

/** In place of what does not look like a name or a code: it might be any text. */
const unshown = '?'
/** Of the keys of an object that a customer fills, most look like no name: one with many digits is a number of somebody. */
const nameShape = /^[a-z_](?!.*\d{4})[A-Za-z0-9_]{0,63}$/
const codeShape = /^(?=.*[A-Za-z])(?!.*\d{6})[A-Za-z0-9_.-]{1,64}$/

/** A name as it may be kept. */
export function shownName(name: string): string {
  return nameShape.test(name) ? name : unshown
}

/** A code as it may be kept. */
export function shownCode(code: string): string {
  return codeShape.test(code) ? code : unshown
}

const shapes: Partial<Record<ResourceKind, Shape>> = {
  prior_authorization: shapeOf(documents.prior_authorization),
  benefit_verification: shapeOf(documents.benefit_verification),
  // Not of an outreach attempt: beta, and of its fields hardly any is documented.
}

/** Looked at of a list: what stands in no item of so many is seen another time. */
const maxItems = 100
/** A document with more of it is not the one that is documented. */
const maxFound = 50

/** What a resource holds that the catalogue does not know, each once. */
export function findUnknown(kind: ResourceKind, data: unknown): Unknown[] {
  const found = new Map<string, Unknown>()
  const shape = shapes[kind]
  if (shape !== undefined) collect(shape, data, kind, found)
  return [...found.values()]
}

function collect(shape: Shape, value: unknown, path: string, found: Map<string, Unknown>): void {
  if (value === null || value === undefined || found.size >= maxFound) return
  switch (shape.of) {
    case 'object':
      // Of an object without documented fields, none is unknown.
      if (shape.fields.size === 0 || typeof value !== 'object' || Array.isArray(value)) return
      for (const name of Object.keys(value)) {
        if (found.size >= maxFound) return
        const field = (value as Record<string, unknown>)[name]
        const known = shape.fields.get(name)
        if (known === undefined) add(found, { kind: 'field', name: `${path}.${shownName(name)}`, value: '' })
        // Most fields hold any value: what is asked of every delivery makes no path for them.
        else if (known.of !== 'value') collect(known, field, `${path}.${name}`, found)
      }
      return
    case 'list':
      if (!Array.isArray(value)) return
      for (const item of value.slice(0, maxItems)) collect(shape.item, item, `${path}[]`, found)
      return
    case 'code':
      if (typeof value !== 'string' || shape.values.has(value)) return
      add(found, {
        kind: path.endsWith('.status') ? 'status' : 'code',
        name: path,
        // What a patient is, such as the gender, is not shown beside the id of a resource.
        value: path.includes('.patient.') ? unshown : shownCode(value),
      })
      return
    case 'value':
  }
}

function add(found: Map<string, Unknown>, unknown: Unknown): void {
  found.set(`${unknown.name} ${unknown.value}`, unknown)
}
