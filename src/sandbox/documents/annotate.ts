import type { FieldText, FieldTexts } from './descriptions/field-text.ts'
import type { JsonSchema } from './schemas.ts'

/** Gives every property of a schema its text, and throws where one has none, or a text has no property. */
export function annotate(schema: JsonSchema, texts: FieldTexts, name: string): void {
  const unused = new Set(Object.keys(texts))
  for (const { path, property } of propertiesOf(schema)) {
    const text = texts[path]
    if (text === undefined) throw new Error(`The property ${name}.${path} has no description.`)
    unused.delete(path)
    Object.assign(property, annotationsOf(text, property))
  }
  if (unused.size > 0) throw new Error(`${name} has no such properties: ${[...unused].join(', ')}.`)
}

/** The properties of an envelope with their texts; those that are not there need none. */
export function described(properties: Record<string, JsonSchema>, texts: FieldTexts): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const text = texts[name]
      if (text === undefined) throw new Error(`The property ${name} has no description.`)
      return [name, { ...property, ...annotationsOf(text, property) }]
    }),
  )
}

function annotationsOf({ text, format, example, ...rest }: FieldText, schema: JsonSchema): JsonSchema {
  return {
    description: text,
    ...(format === undefined ? {} : { format }),
    ...('default' in rest ? { default: rest.default } : {}),
    ...(example === undefined || !isExemplary(schema) ? {} : { examples: [example] }),
  }
}

/** A property with its path in the schema, as `drugs[].name`. */
interface Property {
  path: string
  property: JsonSchema
}

/** Every property that a schema spells out itself; what it refers to has its own. */
export function propertiesOf(schema: JsonSchema, path = ''): Property[] {
  const here = Object.entries(schema.properties ?? {}).flatMap(([name, inner]): Property[] => {
    const property = asSchema(inner)
    const place = path === '' ? name : `${path}.${name}`
    return property === undefined ? [] : [{ path: place, property }, ...propertiesOf(property, place)]
  })
  const item = asSchema(schema.items)
  return [
    ...here,
    ...(item === undefined ? [] : propertiesOf(item, `${path}[]`)),
    ...branchesOf(schema).flatMap((branch) => propertiesOf(branch, path)),
  ]
}

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
