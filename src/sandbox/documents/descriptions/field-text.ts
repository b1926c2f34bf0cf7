/** What the documents say of one property beyond what its schema says. */
export interface FieldText {
  /** Meaning, unit, limits and, where it matters, when it is null. */
  text: string
  /** What holds where a request leaves the property out, or an answer has nothing else to say. */
  default?: unknown
  /** Only where no example request or answer shows the property. */
  example?: unknown
  /** Only where the schema takes any string. */
  format?: 'uri' | 'email'
}

/** The texts of a schema's properties by path: `drugs[].name`. */
export type FieldTexts = Readonly<Record<string, FieldText>>

/** Texts from one place of the interface's documents, which each of them names in the end; a string is a text alone. */
export function fieldTexts(source: string, fields: Record<string, string | FieldText>): FieldTexts {
  return Object.fromEntries(
    Object.entries(fields).map(([path, field]) => {
      const own = typeof field === 'string' ? { text: field } : field
      return [path, { ...own, text: `${own.text} [${source}]` }]
    }),
  )
}

/** The same texts for an object, or for each item of a list (`results[].drug`), that stands within another schema. */
export function within(prefix: string, texts: FieldTexts): FieldTexts {
  return Object.fromEntries(Object.entries(texts).map(([path, text]) => [`${prefix}.${path}`, text]))
}
