/** Further documentation of a property; an example only if no example request or answer shows one. */
interface Further {
  examples?: [unknown]
  /** The value assumed if a request omits the property, or an answer has no other. */
  default?: unknown
  /** The format, only if the schema takes any string. */
  format?: 'uri' | 'email'
  /** Its values are codes without patient data: logs, stories and reports may show them. */
  isLoggable?: true
}

/** Argument of a property's `.meta()`: meaning, unit, limits and nullability in words; `source` cites the interface's documents. */
export const saidIn =
  (source: string) =>
  (text: string, further: Further = {}) => ({ description: `${text} [${source}]`, ...further })

/** The keys of a table, as the list of an enum schema. */
export function keysOf<K extends string>(table: Readonly<Record<K, unknown>>): [K, ...K[]] {
  // The compiler cannot see that an object has the keys of its type and no others.
  return Object.keys(table) as [K, ...K[]]
}

/** The meanings of states in one sentence. */
export function meaningsIn(meanings: Record<string, string>): string {
  const all = Object.entries(meanings).map(([state, meaning]) => `\`${state}\`: ${meaning}`)
  return `${all.join('; ')}.`
}
