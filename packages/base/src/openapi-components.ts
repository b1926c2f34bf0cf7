import { z } from 'zod'

export type JsonSchema = z.core.JSONSchema.BaseSchema

/** The place of a named schema in an OpenAPI or AsyncAPI document. */
export function refTo(name: string): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` }
}

/** Converts named schemas to JSON Schema, in their input form; a schema inside another becomes a reference. `omitted`: metadata keys to leave out. */
export function toComponents(
  named: Readonly<Record<string, z.ZodType>>,
  omitted: readonly string[] = [],
): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    uri: (id) => refTo(id).$ref,
    override({ zodSchema, jsonSchema }) {
      simplify(jsonSchema, zodSchema)
      for (const key of omitted) delete jsonSchema[key]
    },
  })
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _dialect, $id: _id, ...schema }]) => [name, schema]),
  )
}

/** Formats that make a pattern redundant. */
const tellingFormats: readonly unknown[] = ['date', 'date-time']

/** Shortens zod's output, and keeps all that a generator of requests needs. */
function simplify(schema: JsonSchema, { _zod: { def } }: z.core.$ZodTypes): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  const { pattern } = schema
  if (tellingFormats.includes(schema.format)) delete schema.pattern
  delete schema.propertyNames
  if (def.type !== 'string' || !('format' in def) || def.format !== 'datetime') return
  const isZoneOptional = 'local' in def && def.local === true
  if (isZoneOptional) {
    delete schema.type
    schema.anyOf = [
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date-time-local', ...(pattern !== undefined && { pattern }) },
    ]
  } else schema.format = 'date-time'
}
