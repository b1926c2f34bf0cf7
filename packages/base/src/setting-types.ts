/** Types of environment variables, from which rooms and connectors build the schemas of their settings. */
import { z } from 'zod'
import type { OptionalPackage } from './optional-packages.ts'
import { parseJson } from './parse-json.ts'

/** The values of settings, by name. */
export type ValuesOf<Shape extends z.ZodRawShape> = z.infer<z.ZodObject<Shape>>

/** The settings that are set, as text, and functions that report faults across several settings. */
export interface GivenSettings<Name extends string> {
  given: Readonly<Partial<Record<Name, string>>>
  /** Reports the setting if it is missing. */
  needed: (name: Name, why: string) => void
  /** Reports the setting if a package that it needs is not installed. */
  installed: (name: Name, packages: readonly OptionalPackage[]) => void
  /** `text` begins with the name of the setting and a colon, and holds no value. */
  fault: (text: string) => void
}

export const number = (min: number, max: number) => {
  const fault = `must be a number from ${min} to ${max}`
  return z.coerce.number(fault).min(min, fault).max(max, fault)
}
export const whole = (min: number, max: number) => number(min, max).int('must be a whole number')
export const count = (fallback: number, max: number) => whole(1, max).default(fallback)
export const port = (fallback: number) => whole(0, 65_535).default(fallback)

export const oneOf = <const T extends readonly string[]>(values: T) =>
  z.enum(values, `must be one of ${values.join(', ')}`)
export const yesOrNo = (fallback: 'true' | 'false') =>
  oneOf(['true', 'false'])
    .default(fallback)
    .transform((word) => word === 'true')

export const commaSeparated = z.string().transform((text) => text.split(',').map((item) => item.trim()))
export const list = (fits: (item: string) => boolean, fault: string) =>
  commaSeparated.refine((items) => items.every((item) => fits(item)), fault)

/** `protocols` as in `URL.protocol`, with their colon. */
export const address = (protocols: readonly string[]) =>
  z
    .string()
    .refine((text) => protocols.some((protocol) => text.trimStart().toLowerCase().startsWith(`${protocol}//`)), {
      error: `must be an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
      abort: true,
    })
    .refine(
      isWholeAddress,
      'cannot be read as an address: percent-encode special characters of its user and password (# as %23, / as %2F, ? as %3F, % as %25)',
    )

/** Whether the address parses as a whole. A raw `#`, `/` or `?` in its password would turn the rest, host included, into a fragment, path or query. */
function isWholeAddress(text: string): boolean {
  // Drivers accept a user without a host, for a socket; `URL` does not.
  const withHost = text.replace('@/', '@localhost/')
  if (!URL.canParse(withHost)) return false
  const { protocol, username, password, hash, pathname, search } = new URL(withHost)
  if (hash.includes('@')) return false
  const isWeb = protocol === 'http:' || protocol === 'https:'
  return isWeb || username !== '' || password !== '' || !(pathname.includes('@') || /^[^=&]*@/.test(search))
}

export const httpAddress = address(['http:', 'https:'])

export const token = z.string().regex(/^[\x21-\x7e]+$/, 'must be one token without spaces')

/** The secrets that pawl signs with, newest first. */
export const signingSecrets = list(
  // As strict as the library that signs: with a stray character it throws at the start.
  (text) => /^(whsec_)?([A-Za-z0-9+/]{4}){8,}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text),
  'must be Standard Webhooks secrets, separated by commas: whsec_ and Base64 (of + and /, not - and _) of at least 24 bytes each, without quotes',
)

/** JSON that fits the schema. A fault names the place and never the value, which may be a secret. */
export const json = <T extends z.ZodType>(fits: T, fault: string) =>
  z.string().transform((text, context): z.output<T> => {
    const given = parseJson(text)
    const parsed = fits.safeParse(given)
    if (parsed.success) return parsed.data
    context.addIssue({ code: 'custom', message: `${fault}${placeOf(parsed.error, given)}` })
    return z.NEVER
  })

/** Names the entry and the field of the first fault. The entry goes by its number, since its key may be a misplaced secret. */
function placeOf({ issues: [first] }: z.ZodError, parsed: unknown): string {
  const [entry, ...fields] = first?.path ?? []
  if (entry === undefined || typeof parsed !== 'object' || parsed === null) return ''
  const number = Object.keys(parsed).indexOf(String(entry)) + 1
  return number === 0 ? '' : `; wrong in entry ${[number, ...fields].join(', ')}`
}
