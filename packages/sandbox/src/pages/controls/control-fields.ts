import { z } from 'zod'
import type { JsonSchema } from '@pawl/base/openapi-components'
import { parseJson } from '@pawl/base/parse-json'
import { asSchema } from '../../documents/json-schema.ts'
import type { Control } from '../../platform/control.ts'

/** A form field, from the schema of a control's input. */
export interface FormField {
  /** Where its value goes in the body or query; empty for a body that is one value. */
  path: readonly string[]
  /** `json`: JSON, else text. */
  kind: 'text' | 'number' | 'choice' | 'json'
  isRequired: boolean
  /** All values of a `choice`, or some of the others. */
  values: readonly string[]
  min?: number | undefined
  max?: number | undefined
}

/** Fields of each form of a schema: one form for each alternative of a union. */
export function formsOf(schema: z.ZodType | undefined): FormField[][] {
  if (schema === undefined) return [[]]
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return alternativesOf(json).map((one) => fieldsOf(one, [], true))
}

/** The schema of a control's body, even if the control reads the body itself. */
export const bodySchemaOf = ({ text }: Control): z.ZodType | undefined => text.body ?? text.documentedBody

const alternativesOf = ({ anyOf, oneOf, ...schema }: JsonSchema): JsonSchema[] =>
  (anyOf ?? oneOf)?.map((one) => asSchema(one) ?? {}) ?? [schema]

function fieldsOf(schema: JsonSchema, path: readonly string[], isRequired: boolean): FormField[] {
  const { properties, propertyNames, required = [] } = schema
  const names = asSchema(propertyNames)?.enum?.map(String) ?? Object.keys(properties ?? {})
  if (properties === undefined && names.length === 0) return [fieldOf(schema, path, isRequired)]
  return names.flatMap((name) => {
    const inner = asSchema(properties?.[name] ?? schema.additionalProperties) ?? {}
    return fieldsOf(inner, [...path, name], isRequired && required.includes(name))
  })
}

function fieldOf(schema: JsonSchema, path: readonly string[], isRequired: boolean): FormField {
  const { type, minimum: min, maximum: max, examples } = schema
  const some = Array.isArray(examples) ? examples.map(String) : []
  const listed = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  const values = listed?.map(String) ?? (type === 'boolean' ? ['true', 'false'] : some)
  const isChoice = listed !== undefined || type === 'boolean'
  const kind = isChoice ? 'choice' : type === 'string' ? 'text' : isNumber(type) ? 'number' : 'json'
  return { path, kind, isRequired, values, ...(kind === 'number' && { min, max }) }
}

const isNumber = (type: unknown) => type === 'number' || type === 'integer'

/** The name of a field in its form. */
export const nameOfField = ({ path }: FormField): string => ['field', ...path].join('.')

/** A form's input in the control's format, without empty fields. Undefined if all are empty. */
export function valueFrom(fields: readonly FormField[], form: Readonly<Record<string, unknown>>): unknown {
  let value: unknown
  for (const field of fields) {
    const given = form[nameOfField(field)]
    if (typeof given !== 'string' || given.trim() === '') continue
    value = placed(value, field.path, read(given.replaceAll('\r\n', '\n'), field))
  }
  return value
}

/** Parses JSON unless the field wants text; the control reports other input. */
function read(given: string, { kind, values }: FormField): unknown {
  if (kind === 'text' || (kind === 'choice' && !values.includes('true'))) return given
  return parseJson(given) ?? given
}

function placed(value: unknown, [name, ...rest]: readonly string[], put: unknown): unknown {
  if (name === undefined) return put
  const before = asSchema(value) ?? {}
  return { ...before, [name]: placed(before[name], rest, put) }
}

/** A field's value within a control's answer, in the form's format. */
export function shownValue(value: unknown, { path, kind }: FormField): string {
  const found = path.reduce<unknown>((one, name) => asSchema(one)?.[name], value)
  if (found === undefined || (path.length === 0 && kind !== 'json')) return ''
  return typeof found === 'string' ? found : JSON.stringify(found)
}
