import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { readJsonFixture } from '../support/read-fixture.ts'

const root = fileURLToPath(new URL('../fixtures/spec/', import.meta.url))

/** A request of a client; a GET has none. */
export const RequestFixture = z.object({ operation: z.string(), body: z.record(z.string(), z.unknown()) })
export type RequestFixture = z.infer<typeof RequestFixture>

/** The success of an endpoint; null is no body. */
export const ResponseFixture = z.object({ operation: z.string(), http_status: z.number(), body: z.unknown() })

/** A documented error. `http_status_stated` is false where the specification does not state the status. */
export const ErrorFixture = ResponseFixture.extend({
  http_status_stated: z.boolean(),
  headers: z.record(z.string(), z.string()).optional(),
})

export type ErrorFixture = z.infer<typeof ErrorFixture>

/** A resource, or several of them in one file. */
export const ResourceFixture = z.union([z.array(z.unknown()), z.unknown().transform((resource) => [resource])])

/** Every file of a folder, with its path as name. */
export function readFixtures<T extends z.ZodType>(folder: string, schema: T): [name: string, value: z.infer<T>][] {
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => [name.slice(0, -'.json'.length), readFixture(join(folder, name), schema)])
}

/** One file. */
export function readFixture<T extends z.ZodType>(path: string, schema: T): z.infer<T> {
  return schema.parse(readJsonFixture(join(root, path)))
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Where `parsed` says less than, or something else than, `original`. What is null may be absent: the loose schemas read both as "not told". */
export function lost(original: unknown, parsed: unknown, path = ''): string[] {
  if (original === null) return parsed === null || parsed === undefined ? [] : [path]
  if (!isObject(original)) return Object.is(original, parsed) ? [] : [path]
  if (!isObject(parsed)) return [path]
  const isShorter = Array.isArray(original) && (!Array.isArray(parsed) || parsed.length !== original.length)
  return isShorter
    ? [path]
    : Object.entries(original).flatMap(([key, value]) => lost(value, parsed[key], `${path}.${key}`))
}

/** Every field that a value has, as `a.b[].c`. */
export function fieldsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, `${path}[]`))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const field = path === '' ? key : `${path}.${key}`
    return [field, ...fieldsOf(inner, field)]
  })
}

const kindOf = (value: unknown) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)

/**
 * Where an answer has another shape than the documents show: a field that all of them have and the answer lacks, a field that none of them
 * has, a value of a type that none of them has. Null is any type's absence. Of lists the items of all documents are taken together.
 */
export function shapeFaults(answer: unknown, documented: readonly unknown[], path = ''): string[] {
  const shown = documented.filter((value) => value !== null && value !== undefined)
  if (answer === null || shown.length === 0) return []
  const kinds = new Set(shown.map(kindOf))
  if (!kinds.has(kindOf(answer))) return [`${path} is ${kindOf(answer)}, not ${[...kinds].join(' or ')}`]
  if (Array.isArray(answer)) return answer.flatMap((item) => shapeFaults(item, shown.flat(), `${path}[]`))
  if (!isObject(answer)) return []
  const objects = shown.filter(isObject)
  const [first = {}, ...others] = objects
  const missing = Object.keys(first).filter((key) => !(key in answer) && others.every((other) => key in other))
  return [
    ...missing.map((key) => `${path}.${key} is missing`),
    ...Object.entries(answer).flatMap(([key, value]) => {
      const known = objects.filter((object) => key in object)
      if (known.length === 0) return [`${path}.${key} is not documented`]
      return shapeFaults(
        value,
        known.map((object) => object[key]),
        `${path}.${key}`,
      )
    }),
  ]
}
