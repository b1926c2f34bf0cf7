import type { JsonSchema } from '../../base/openapi-components.ts'

/** The alternatives of a schema, besides mere rules about properties that are named elsewhere. */
export function branchesOf({ anyOf = [], oneOf = [] }: JsonSchema): JsonSchema[] {
  return [...anyOf, ...oneOf]
    .map(asSchema)
    .filter((branch) => branch !== undefined)
    .filter((branch) => branch.type !== undefined || branch.$ref !== undefined || branch.anyOf !== undefined)
}

/** JSON Schema allows true and false in place of a schema. */
export function asSchema(schema: unknown): JsonSchema | undefined {
  // The compiler cannot see that whatever is an object here is a schema.
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? (schema as JsonSchema) : undefined
}

/** Whether an example says more than the schema does. */
export function isExemplary(schema: JsonSchema): boolean {
  return schema.const === undefined && schema.enum === undefined && schema.type !== 'boolean'
}
