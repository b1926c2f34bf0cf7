import { z } from 'zod'
import { type Essential, type Shape, shapeOf } from './shape.ts'

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
  const reader = readerOf(shape).transform((read) => {
    gatherUnknown(read, shape)
    return read
  })
  // The compiler cannot see that the shape is that of the schema.
  return reader as unknown as z.ZodType<ReadOf<S>>
}

function readerOf(shape: Shape): z.ZodType {
  switch (shape.of) {
    case 'object':
      return z.looseObject(
        Object.fromEntries(
          [...shape.fields].map(([name, field]) => {
            const own = shape.essential.get(name)
            if (own === undefined) return [name, lenient(readerOf(field))]
            return [name, own instanceof z.ZodString ? own : readerOf(field)]
          }),
        ),
      )
    case 'list':
      return listOf(readerOf(shape.item))
    case 'code':
      return z.string()
    case 'value':
      return shape.schema
  }
}

/** Moves undocumented fields into `unknownFields`, at any depth of a document just read. A document read a second time keeps its earlier ones. */
function gatherUnknown(read: unknown, shape: Shape): void {
  if (shape.of === 'list' && Array.isArray(read)) for (const item of read) gatherUnknown(item, shape.item)
  if (shape.of !== 'object' || !isRecord(read)) return
  let others: Record<string, unknown> | undefined
  for (const name of Object.keys(read)) {
    const field = shape.fields.get(name)
    const value = read[name]
    if (field !== undefined) {
      if (value !== undefined && field.of !== 'value' && field.of !== 'code') gatherUnknown(value, field)
      continue
    }
    others = name === unknownFields && isRecord(value) ? { ...value, ...others } : { ...others, [name]: value }
    delete read[name]
  }
  if (others !== undefined) read[unknownFields] = others
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

/** A list that skips unreadable items, so that one bad item never hides the rest. */
function listOf(item: z.ZodType) {
  return z.array(z.unknown()).transform((items) =>
    items.flatMap((candidate) => {
      const parsed = item.safeParse(candidate)
      return parsed.success ? [parsed.data] : []
    }),
  )
}
