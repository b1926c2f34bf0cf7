/** What else the documents say of a property; an example only where no example request or answer shows one. */
interface Further {
  examples?: [unknown]
  /** What holds where a request leaves the property out, or an answer has nothing else to say. */
  default?: unknown
  /** Only where the schema takes any string. */
  format?: 'uri' | 'email'
  /** Its values are codes that say nothing of a patient: logs, stories and reports may tell them. */
  isTold?: true
}

/** For `.meta()` of a property: meaning, unit, limits and when it is null, in words; `source` is the place in the interface's documents that they follow. */
export const saidIn =
  (source: string) =>
  (text: string, further: Further = {}) => ({ description: `${text} [${source}]`, ...further })

/** The keys of a table, as a list that a schema can be made of. */
export function keysOf<K extends string>(table: Readonly<Record<K, unknown>>): [K, ...K[]] {
  // The compiler cannot see that an object has the keys of its type and no others.
  return Object.keys(table) as [K, ...K[]]
}

/** The meanings of states in one sentence. */
export function meaningsIn(meanings: Record<string, string>): string {
  const all = Object.entries(meanings).map(([state, meaning]) => `\`${state}\`: ${meaning}`)
  return `${all.join('; ')}.`
}
