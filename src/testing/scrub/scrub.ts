import { randomBytes } from 'node:crypto'
import { createInventor, type Inventor } from './inventor.ts'
import { rules } from './scrub-rules.ts'

/** Options of `scrub`. */
export interface ScrubOptions {
  /** One secret gives the same people, ids and dates across deliveries. Default: a random one per call. Anyone with the secret can brute-force ids. */
  secret?: string | undefined
}

/**
 * Turns a real delivery, or any JSON of the service, into a fixture: same fields, types and text lengths, with invented people, ids, dates and texts.
 * One id always becomes the same new id; all dates move by the same number of days. Documented words, numbers and flags stay; undocumented values are
 * replaced by their type. Read the result before you commit it: drugs are invented, rare combinations of quantities and days are not.
 */
export function scrub<T>(delivery: T, { secret = randomBytes(32).toString('hex') }: ScrubOptions = {}): T {
  // The compiler cannot see that every value is replaced by one of its type.
  return scrubValue(delivery, [], createInventor(secret)) as T
}

function scrubValue(value: unknown, path: readonly string[], invent: Inventor): unknown {
  if (Array.isArray(value)) return value.map((item) => scrubValue(item, path, invent))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [scrubName(name, invent), scrubValue(each, [...path, name], invent)]),
    )
  if (typeof value === 'string') return scrubText(value, path, invent)
  return typeof value === 'number' ? scrubNumber(value, path, invent) : value
}

/** Field names are words; a name with digits or without a word may be a value, such as an id. */
function scrubName(name: string, invent: Inventor): string {
  return /^[A-Za-z][A-Za-z_]{0,60}\d{0,2}$/.test(name) ? name : invent.alike(name)
}

function scrubText(text: string, path: readonly string[], invent: Inventor): string {
  if (text === '') return text
  return rules.find(({ applies }) => applies(text, path))?.replace(text, invent) ?? invent.prose(text)
}

const harmlessNumbers: ReadonlySet<string> = new Set([
  'quantity',
  'days_supply',
  'priority',
  'amount_cents',
  'supply_duration_days',
])

function scrubNumber(value: number, path: readonly string[], invent: Inventor): number {
  return harmlessNumbers.has(path.at(-1) ?? '') ? value : invent.number(value)
}
