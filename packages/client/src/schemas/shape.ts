import { z } from 'zod'

type Schema = z.core.$ZodType

/** The documented shape of a value; alternatives are merged. */
export type Shape =
  | {
      of: 'object'
      fields: ReadonlyMap<string, Shape>
      essential: ReadonlyMap<string, Schema>
      /** Fields whose values may be logged and reported. */
      loggable: ReadonlySet<string>
    }
  | { of: 'list'; item: Shape }
  | { of: 'code'; values: ReadonlySet<string> }
  | { of: 'value'; types: ReadonlySet<ValueType> }

/** The type of a value, without rules about its form; `json`: any. */
export type ValueType = 'string' | 'number' | 'boolean' | 'json'

/** Marks a field for the compiler. */
declare const mark: unique symbol
export interface Essential {
  readonly [mark]: true
}
const essentials = z.registry<{ isEssential: true }>()

/** Marks a field as required for reading its object. */
export function essential<T extends z.ZodType>(schema: T): T & Essential {
  const own = schema.clone()
  essentials.add(own, { isEssential: true })
  // The compiler cannot see the mark, which exists only in the types.
  return own as T & Essential
}

/** The shape that a strict schema documents. */
export function shapeOf(schema: Schema): Shape {
  return shapeOfForms(formsOf(schema))
}

/** The possible forms of a value, leaving out absent and null. */
function formsOf(schema: Schema): Schema[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodReadonly)
    return formsOf(schema.unwrap())
  return schema instanceof z.ZodUnion ? schema.options.flatMap(formsOf) : [schema]
}

function shapeOfForms(forms: readonly Schema[]): Shape {
  const objects = forms.filter((form) => form instanceof z.ZodObject)
  if (objects.length === forms.length) return shapeOfObjects(objects)
  const lists = forms.filter((form) => form instanceof z.ZodArray)
  if (lists.length === forms.length)
    return { of: 'list', item: shapeOfForms(lists.flatMap((one) => formsOf(one.element))) }
  const codes = forms.filter((form) => form instanceof z.ZodEnum || form instanceof z.ZodLiteral)
  if (codes.length === forms.length)
    return { of: 'code', values: new Set(codes.flatMap((one) => [...one._zod.values]).map(String)) }
  return { of: 'value', types: new Set(forms.map(typeOf)) }
}

function shapeOfObjects(objects: readonly z.ZodObject[]): Shape {
  const forms = new Map<string, Schema[]>()
  const essential = new Map<string, Schema>()
  const loggable = new Set<string>()
  for (const [name, field] of objects.flatMap(({ shape }) => Object.entries<Schema>(shape))) {
    forms.set(name, [...(forms.get(name) ?? []), ...formsOf(field)])
    if (essentials.has(field)) essential.set(name, field)
    if (z.globalRegistry.get(field)?.isLoggable === true) loggable.add(name)
  }
  return {
    of: 'object',
    fields: new Map([...forms].map(([name, each]) => [name, shapeOfForms(each)])),
    essential,
    loggable,
  }
}

function typeOf(schema: Schema): ValueType {
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) return 'string'
  if (schema instanceof z.ZodNumber) return 'number'
  return schema instanceof z.ZodBoolean ? 'boolean' : 'json'
}
