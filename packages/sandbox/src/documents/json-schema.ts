import type { JsonSchema } from '@pawl/base/openapi-components'

/** Alternatives of a schema, without mere rules about properties defined elsewhere. */
export function branchesOf({ anyOf = [], oneOf = [] }: JsonSchema): JsonSchema[] {
  return [...anyOf, ...oneOf]
    .map(asSchema)
    .filter((branch) => branch !== undefined)
    .filter((branch) => branch.type !== undefined || branch.$ref !== undefined || branch.anyOf !== undefined)
}

/** Undefined for true and false, which JSON Schema allows in place of a schema. */
export function asSchema(schema: unknown): JsonSchema | undefined {
  // The compiler cannot see that any object here is a schema.
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? (schema as JsonSchema) : undefined
}

/** Whether an example adds to the schema. */
export function isExemplary(schema: JsonSchema): boolean {
  return schema.const === undefined && schema.enum === undefined && schema.type !== 'boolean'
}
