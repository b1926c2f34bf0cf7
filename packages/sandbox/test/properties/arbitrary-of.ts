import fc, { type Arbitrary } from 'fast-check'
import { z } from 'zod'
import { base64, bin, fileUrl, jsonObject, ncpdpId, ndc, priority } from '../../../client/src/schemas/text.ts'
import { content, files } from '../files.ts'

/** Arbitraries in place of the schema's own, by the path of the field without array indices. */
export type Overrides = Record<string, Arbitrary<unknown>>

/** Text that breaks what is careless: scripts, marks, controls, half characters, quotes, leading zeros, length. */
const awkward = fc.constantFrom(
  'O\'Hara "Bo" \\ / `x`',
  'Zoë Ångström-Ñandú',
  '李小龍 مرحبا שלום',
  '👩🏽‍⚕️💊🏳️‍🌈',
  '0001234567',
  '  both ends  ',
  'line\r\nbreak\ttab\u0000null\u2028\u202eback',
  '\ud83d',
  "<b>&amp;</b> %s ${x} {{y}} '; DROP TABLE x; --",
  '__proto__',
  'null',
  'é'.repeat(20_000),
)
/** Any text that is not empty. */
export const word = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }) },
  { weight: 1, arbitrary: awkward },
)
const time = fc.date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
const anyObject = fc.dictionary(
  word.filter((key) => key !== '__proto__'),
  // Where it stands deeper, a resource is read without it.
  fc.jsonValue({ maxDepth: 1 }).filter((value) => !JSON.stringify(value).includes('"__proto__"')),
  { maxKeys: 3, noNullPrototype: true },
)

/** Arbitraries by the identity of the schema: patterns, and files that a card and evidence may both be. */
const byIdentity = new Map<z.core.$ZodType, Arbitrary<unknown>>([
  [base64, fc.constantFrom(files.png, files.jpeg, files.pdf).map((file) => content(file).file_content)],
  // Six zeros are a test value.
  [bin, fc.stringMatching(/^[1-9]\d{5}$/)],
  [ncpdpId, fc.stringMatching(/^\d{7}$/)],
  [
    ndc,
    fc.stringMatching(
      /^(?:[1-9]\d{10}|[1-9]\d{4}-\d{4}-\d{2}|[1-9]\d{3}-\d{4}-\d{2}|[1-9]\d{4}-\d{3}-\d{2}|[1-9]\d{4}-\d{4}-\d)$/,
    ),
  ],
  [jsonObject, anyObject],
  [priority, fc.integer({ min: 0, max: 3 })],
  [fileUrl, fc.constantFrom('https://files.example/a', 'http://files.example/b?c=d')],
])

/** A schema with a description is a copy of the one without. */
function recognised(schema: z.core.$ZodType): Arbitrary<unknown> | undefined {
  const { parent } = schema._zod
  return byIdentity.get(schema) ?? (parent === undefined ? undefined : recognised(parent))
}

/** Any value that the schema accepts. Rules over several fields are met by trying again. */
export function arbitraryOf(schema: z.core.$ZodType, overrides: Overrides = {}, path = ''): Arbitrary<unknown> {
  const special = overrides[path] ?? recognised(schema)
  if (special !== undefined) return special
  if (schema instanceof z.ZodOptional) return arbitraryOf(schema.unwrap(), overrides, path)
  if (schema instanceof z.ZodNullable) return fc.oneof(fc.constant(null), arbitraryOf(schema.unwrap(), overrides, path))
  if (schema instanceof z.ZodArray) return arrayOf(schema, overrides, path)
  if (schema instanceof z.ZodObject) return objectOf(schema, overrides, path)
  if (schema instanceof z.ZodUnion)
    return fc.oneof(...schema.options.map((option) => arbitraryOf(option, overrides, path)))
  return leafOf(schema, path)
}

function arrayOf(schema: z.ZodArray, overrides: Overrides, path: string) {
  const item = arbitraryOf(schema.element, overrides, path)
  return fc.array(item, { minLength: schema.safeParse([]).success ? 0 : 1, maxLength: 2 })
}

function objectOf(schema: z.ZodObject, overrides: Overrides, path: string) {
  const fields = Object.entries(schema.shape).map(
    ([key, field]) => [key, arbitraryOf(field, overrides, path === '' ? key : `${path}.${key}`)] as const,
  )
  const requiredKeys = Object.keys(schema.shape).filter((key) => !isOptional(schema.shape[key]))
  return fc
    .record(Object.fromEntries(fields), { requiredKeys, noNullPrototype: true })
    .filter((value) => schema.safeParse(value).success)
}

/** Whether the field may be left out. */
export function isOptional(schema: unknown): boolean {
  return schema instanceof z.ZodType && schema.safeParse(undefined).success
}

function leafOf(schema: z.core.$ZodType, path: string): Arbitrary<unknown> {
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options)
  if (schema instanceof z.ZodLiteral) return fc.constantFrom(...schema.values)
  if (schema instanceof z.ZodBoolean) return fc.boolean()
  if (schema instanceof z.ZodNumber)
    return schema.isInt
      ? fc.oneof(fc.integer({ min: 1 }), fc.constant(Number.MAX_SAFE_INTEGER))
      : fc.double({ min: 0.001, max: 1e9, noNaN: true })
  if (schema instanceof z.ZodEmail)
    return fc.stringMatching(/^[a-z0-9]+([.+_-][a-z0-9]+){0,3}@[a-z0-9]+(-[a-z0-9]+)?\.(org|example|co\.uk)$/)
  if (schema instanceof z.ZodISODate) return time.map((date) => date.toISOString().slice(0, 10))
  if (schema instanceof z.ZodISODateTime)
    return fc
      .tuple(time, fc.constantFrom(19, 23), fc.constantFrom('', 'Z', '+05:30', '-11:30'))
      .map(([date, length, zone]) => date.toISOString().slice(0, length) + zone)
  if (schema instanceof z.ZodString) return z.safeParse(schema, '').success ? fc.oneof(word, fc.constant('')) : word
  if (schema instanceof z.ZodUnknown) return fc.jsonValue({ maxDepth: 1 })
  throw new Error(`no arbitrary for ${schema._zod.def.type} at ${path}`)
}
