import type { FieldText, FieldTexts } from './descriptions/field-text.ts'
import { isExemplary, type JsonSchema, propertiesOf } from './json-schema.ts'

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
