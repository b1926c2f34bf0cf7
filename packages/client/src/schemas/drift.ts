import { documents, type ResourceKind } from './kinds.ts'
import { type Shape, shapeOf } from './shape.ts'

/** The kinds of drift: an event type, a field of the envelope, a claim of the token, a status, another code, a field of a resource. */
export type DriftKind = 'event_type' | 'envelope_field' | 'claim' | 'status' | 'code' | 'field'

/** A name or code unknown to pawl; never content. */
export interface Unknown {
  kind: DriftKind
  /** A path such as `prior_authorization.outcome.detail_code`, with `[]` for any item of a list, or a name. */
  name: string
  /** The unknown code or event type; empty if the name itself is unknown. */
  value: string
}

/** Replaces a value without the shape of a name or code, which may be any text. */
const unshown = '?'
/** The shape of a field name. Keys that a customer chose may be personal: four digits in a row look like a person's number. */
const nameShape = /^[a-z_](?!.*\d{4})[A-Za-z0-9_]{0,63}$/
const codeShape = /^(?=.*[A-Za-z])(?!.*\d{6})[A-Za-z0-9_.-]{1,64}$/

/** The name if it is safe to store, else `?`. */
export function shownName(name: string): string {
  return nameShape.test(name) ? name : unshown
}

/** The code if it is safe to store, else `?`. */
export function shownCode(code: string): string {
  return codeShape.test(code) ? code : unshown
}

const shapes: Partial<Record<ResourceKind, Shape>> = {
  prior_authorization: shapeOf(documents.prior_authorization),
  benefit_verification: shapeOf(documents.benefit_verification),
  // No outreach attempt: beta, and hardly documented.
}

/** Max inspected items of a list. */
const maxItems = 100
/** Max findings per document: beyond it, the document is not the documented one. */
const maxFound = 50

/** The fields and codes of a resource unknown to pawl, each once. */
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
      // Without documented fields, none is unknown.
      if (shape.fields.size === 0 || typeof value !== 'object' || Array.isArray(value)) return
      for (const name of Object.keys(value)) {
        if (found.size >= maxFound) return
        const field = (value as Record<string, unknown>)[name]
        const known = shape.fields.get(name)
        if (known === undefined) add(found, { kind: 'field', name: `${path}.${shownName(name)}`, value: '' })
        // Most fields hold any value: skip them without building a path, since this runs for every delivery.
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
        // A patient's attributes, such as the gender, are not shown beside a resource id.
        value: path.includes('.patient.') ? unshown : shownCode(value),
      })
      return
    case 'value':
  }
}

function add(found: Map<string, Unknown>, unknown: Unknown): void {
  found.set(`${unknown.name} ${unknown.value}`, unknown)
}
