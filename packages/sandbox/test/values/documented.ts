import { componentSchemas } from '../../src/documents/component-schemas.ts'
import type { JsonSchema } from '../../../base/src/openapi-components.ts'
import type { AnswerName } from '../../src/documents/schemas.ts'

const components = componentSchemas()

/** Every value that the schemas of these answers list, as `PriorAuthorization.outcome.result: Approval`; `[]` stands for any item of a list. */
export function documentedValues(names: readonly AnswerName[]): Set<string> {
  const values = new Set<string>()
  for (const name of names) collect({ $ref: `#/components/schemas/${name}` }, name, values)
  return values
}

function collect(schema: JsonSchema, path: string, values: Set<string>): void {
  const { $ref, enum: listed = [], const: single, type, properties = {}, items } = schema
  if ($ref !== undefined) collect(components[$ref.split('/').at(-1) ?? ''] ?? {}, path, values)
  const scalars = [...listed, single, ...(type === 'boolean' && single === undefined ? [true, false] : [])]
  for (const value of scalars) if (value !== undefined && value !== null) values.add(`${path}: ${String(value)}`)
  for (const one of [schema.anyOf, schema.oneOf, schema.allOf].flatMap((branches) => branches ?? []))
    if (typeof one === 'object') collect(one, path, values)
  for (const [name, field] of Object.entries(properties))
    if (typeof field === 'object') collect(field, `${path}.${name}`, values)
  // The compiler cannot see that zod writes one schema for all items of a list.
  if (typeof items === 'object') collect(items as JsonSchema, `${path}[]`, values)
}

/** Notes every text and flag of an answer as `documentedValues` writes it. */
export function noteValues(value: unknown, path: string, seen: Set<string>): void {
  if (typeof value === 'string' || typeof value === 'boolean') seen.add(`${path}: ${String(value)}`)
  else if (Array.isArray(value)) for (const item of value) noteValues(item, `${path}[]`, seen)
  else if (typeof value === 'object' && value !== null)
    for (const [name, field] of Object.entries(value)) noteValues(field, `${path}.${name}`, seen)
}
