import { z } from 'zod'
import { type Essential, type Shape, shapeOf, type ValueType } from './shape.ts'

/** A field that the service may omit, send as null or change: a value that does not fit reads as absent, never as an error. */
export const lenient = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined)

/**
 * A value that the service added after its interface was documented. At runtime it is plain text. The prefix exists only for the compiler, which
 * then rejects a comparison with an undocumented literal, such as a misspelt one. To expect such a value, read it as a `string` first.
 */
export type Undocumented = `undocumented: ${string}`

/** A documented value, or one that the service added later. */
export type Lenient<T extends string> = T | Undocumented

type Forms<S> = S extends { _zod: { def: { innerType: infer Inner } } }
  ? Forms<Inner>
  : S extends { _zod: { def: { options: infer Options extends readonly unknown[] } } }
    ? Forms<Options[number]>
    : S
type KeyOf<F> = F extends { _zod: { def: { shape: infer Fields } } } ? keyof Fields : never
type FieldOf<F, K> = F extends { _zod: { def: { shape: infer Fields } } } ? Fields[K & keyof Fields] : never
type EssentialKeyOf<F> = { [K in KeyOf<F>]: FieldOf<F, K> extends Essential ? K : never }[KeyOf<F>]
/** Fields that the service sent beside the documented ones, verbatim; absent without any. */
export interface UnknownFields {
  readonly [name: string]: unknown
}

type Known<F> = { readonly [K in EssentialKeyOf<F>]: ReadOf<FieldOf<F, K>> } & {
  readonly [K in Exclude<KeyOf<F>, EssentialKeyOf<F>>]?: ReadOf<FieldOf<F, K>> | undefined
} & { readonly unknownFields?: UnknownFields | undefined }
type ReadForms<F> = [F] extends [{ _zod: { def: { type: 'object' } } }]
  ? z.core.util.Prettify<Known<F>>
  : F extends { _zod: { def: { type: 'array'; element: infer Item } } }
    ? readonly ReadOf<Item>[]
    : F extends { _zod: { def: { type: 'enum' | 'literal' }; output: infer Code extends string } }
      ? Lenient<Code>
      : F extends { _zod: { def: { type: 'string' | 'number' | 'boolean' }; output: infer Value } }
        ? Value
        : z.core.util.JSONType

/** The lenient type of a strict schema. All but essential fields may be absent, codes may be new, and alternatives become one object with the fields of all. Other fields are under `unknownFields`, so that the compiler rejects a misspelt one. */
export type ReadOf<S> = ReadForms<Forms<S>>

/** The lenient reader of a strict schema: an unknown field or code, or a field of another type, never fails. Only `essential` fields are required. */
export function lenientOf<S extends z.ZodType>(schema: S): z.ZodType<ReadOf<S>> {
  const shape = shapeOf(schema)
  const read = readerOf(shape)
  const reader = z.unknown().transform((value, context) => {
    const found = read(value)
    if (found !== unfit) return found
    context.addIssue({ code: 'custom', message: 'cannot be read', path: faultIn(shape, value) })
    return z.NEVER
  })
  // The compiler cannot see that the shape is that of the schema.
  return reader as unknown as z.ZodType<ReadOf<S>>
}

/** Reads a value by its shape, or returns `unfit`. Every delivery is read so, and zod would take ten times as long. */
type Read = (value: unknown) => unknown

const unfit = Symbol('unfit')

function readerOf(shape: Shape): Read {
  switch (shape.of) {
    case 'object':
      return objectReader(shape)
    case 'list':
      return listReader(readerOf(shape.item))
    case 'code':
      return (value) => (typeof value === 'string' ? value : unfit)
    case 'value':
      return valueReader(shape.types)
  }
}

type ObjectShape = Extract<Shape, { of: 'object' }>

/** Reads fields in the documented order; one that does not fit is `undefined`, unless it is essential. */
function objectReader({ fields, essential }: ObjectShape): Read {
  const readers = [...fields].map(([name, field]) => {
    const own = essential.get(name)
    const read = own instanceof z.ZodString ? stringReader(own) : readerOf(field)
    return { name, read, isEssential: own !== undefined }
  })
  return (value) => {
    if (!isRecord(value)) return unfit
    const found: Record<string, unknown> = {}
    for (const { name, read, isEssential } of readers) {
      if (!isEssential && !(name in value)) continue
      const field = read(value[name])
      if (field === unfit && isEssential) return unfit
      found[name] = field === unfit ? undefined : field
    }
    const others = unknownOf(value, fields)
    if (others !== undefined) found[unknownFields] = others
    return found
  }
}

/** The undocumented fields. A document read a second time keeps its earlier ones. */
function unknownOf(value: Record<string, unknown>, fields: ObjectShape['fields']) {
  let others: Record<string, unknown> | undefined
  for (const name of Object.keys(value)) {
    if (fields.has(name) || name === '__proto__') continue
    const field = value[name]
    others = name === unknownFields && isRecord(field) ? { ...field, ...others } : { ...others, [name]: field }
  }
  return others
}

/** Skips unreadable items, so that one bad item never hides the rest. */
function listReader(readItem: Read): Read {
  return (value) => (Array.isArray(value) ? value.map(readItem).filter((item) => item !== unfit) : unfit)
}

function stringReader(schema: z.ZodString): Read {
  return (value) => (schema.safeParse(value).success ? value : unfit)
}

function valueReader(types: ReadonlySet<ValueType>): Read {
  const isAny = types.has('json')
  return (value) => {
    const type = typeof value
    if (type === 'number' ? types.has(type) && Number.isFinite(value) : types.has(type as ValueType)) return value
    if (!isAny) return unfit
    return value === null || anyJson.safeParse(value).success ? value : unfit
  }
}

const anyJson = z.json()

/** The path to the essential field that does not fit; empty for the value itself. */
function faultIn(shape: Shape, value: unknown): string[] {
  if (shape.of !== 'object' || !isRecord(value)) return []
  for (const [name, own] of shape.essential) {
    const field = shape.fields.get(name)
    const read = own instanceof z.ZodString ? stringReader(own) : field && readerOf(field)
    if (field !== undefined && read?.(value[name]) === unfit) return [name, ...faultIn(field, value[name])]
  }
  return []
}

const unknownFields = 'unknownFields'

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The inverse of reading: a document as the service would send it. */
export function asSent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asSent)
  if (!isRecord(value)) return value
  const { unknownFields: others, ...known } = value
  const fields = Object.entries(known).map(([name, field]) => [name, asSent(field)])
  return { ...Object.fromEntries(fields), ...(isRecord(others) ? others : {}) }
}
