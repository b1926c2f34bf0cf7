import { z } from 'zod'
import { isOptional } from './arbitrary-of.ts'

type Path = readonly (string | number)[]

/** One way to break a valid request in exactly one place, and where the fault must be told. */
export interface Break {
  name: string
  loc: string[]
  apply(request: unknown): unknown
}

const wrong: readonly unknown[] = ['', 'x', 1.5, -1, true, null, [], {}]

/** Every single fault that a request can be given: a wrong value in each field, a required field left out, a field too many. */
export function breaksOf(schema: z.core.$ZodType, request: unknown): Break[] {
  return visit(schema, request, [], false)
}

function visit(schema: z.core.$ZodType, value: unknown, path: Path, isAlternative: boolean): Break[] {
  const here = path.length === 0 ? [] : wrongValues(schema, value, path)
  const inner = insideOf(schema)
  if (inner instanceof z.ZodUnion) {
    const chosen = inner.options.find((option) => z.safeParse(option, value).success)
    return chosen === undefined ? here : [...here, ...visitInner(chosen, value, path, true)]
  }
  return [...here, ...visitInner(inner, value, path, isAlternative)]
}

function visitInner(schema: z.core.$ZodType, value: unknown, path: Path, isAlternative: boolean): Break[] {
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.flatMap((item, index) => visit(schema.element, item, [...path, index], isAlternative))
  if (!(schema instanceof z.ZodObject)) return []
  // The compiler cannot see that the request fits its schema.
  const fields = Object.entries(value as object)
  const shape: Record<string, z.core.$ZodType> = schema.shape
  const nested = fields.flatMap(([key, field]) => {
    const own = shape[key]
    return own === undefined ? [] : visit(own, field, [...path, key], isAlternative)
  })
  // A field that is left out or too many may make another alternative the likelier one.
  if (isAlternative) return nested
  const required = fields.map(([key]) => key).filter((key) => !isOptional(shape[key]))
  return [...nested, ...required.map((key) => put([...path, key], undefined)), put([...path, 'surprise'], 1)]
}

function insideOf(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return insideOf(schema.unwrap())
  return schema
}

/** Values of another kind than the field's: a container in place of a container would be told further inside. */
function wrongValues(schema: z.core.$ZodType, value: unknown, path: Path): Break[] {
  return wrong
    .filter((candidate) => kindOf(candidate) !== kindOf(value) || kindOf(value) === 'leaf')
    .filter((candidate) => !z.safeParse(schema, candidate).success)
    .map((candidate) => put(path, candidate))
}

function kindOf(value: unknown) {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'object' && value !== null ? 'object' : 'leaf'
}

function put(path: Path, value: unknown): Break {
  return {
    name: `${path.join('.')} = ${JSON.stringify(value)}`,
    loc: path.map(String),
    apply: (request) => replaced(request, path, value),
  }
}

function replaced(request: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value
  const copy = Array.isArray(request) ? [...request] : { ...(request as object) }
  // The compiler cannot see that the path exists in the request.
  const holder = copy as Record<string | number, unknown>
  holder[key] = replaced(holder[key], rest, value)
  return copy
}
