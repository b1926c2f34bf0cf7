import { z } from 'zod'

/** A string that is not empty. */
export const text = z.string().min(1)

/** An ISO 8601 calendar date, YYYY-MM-DD. */
export const date = z.iso.date()

/** An ISO 8601 date-time. The specification shows it with and without a zone, so both are accepted. */
export const dateTime = z.iso.datetime({ offset: true, local: true })

/** An ISO 8601 date-time with its zone. */
export const moment = z.iso.datetime({ offset: true })

/** Pharmacy routing BIN (specification, insurance_content). */
export const bin = z.string().regex(/^\d{6}$/, 'must be six digits')

const ndcShape = /^(?:\d{11}|\d{5}-\d{4}-\d{2}|\d{4}-\d{4}-\d{2}|\d{5}-\d{3}-\d{2}|\d{5}-\d{4}-\d)$/

/** NDC: 11 digits, plain or 5-4-2, or a hyphenated 10-digit form: 4-4-2, 5-3-2, 5-4-1 (supplement, PA create). */
export const ndc = z.string().regex(ndcShape, 'must be an NDC of 11 digits, or a hyphenated one of 10 or 11')

/** The 11 digits (5-4-2) of an NDC. Undefined for ten digits without hyphens, which do not show where the zero belongs. */
export function toNdc11(given: string | undefined): string | undefined {
  const sent = given?.trim() ?? ''
  if (!ndcShape.test(sent)) return undefined
  const [labeler = '', product, pack] = sent.split('-')
  if (product === undefined || pack === undefined) return labeler
  return labeler.padStart(5, '0') + product.padStart(4, '0') + pack.padStart(2, '0')
}

/** NCPDP id of a pharmacy (supplement, PA create). */
export const ncpdpId = z.string().regex(/^\d{7}$/, 'must be seven digits')

/** A count that must be whole: the PA formats cannot carry fractions (specification, CodedPrescription). */
export const wholeQuantity = z.int().positive()

/** 0 critical, 1 high, 2 medium, 3 low (supplement, PA create). */
export const priority = z.int().min(0).max(3)

/** Base64 of a file, in canonical form. It is decoded and encoded again, since a pattern over megabytes exhausts the stack. */
export const base64 = text
  .refine((value) => Buffer.from(value, 'base64').toString('base64') === value, 'must be Base64')
  .meta({ contentEncoding: 'base64' })

/** A URL that can be downloaded. */
export const fileUrl = z.url({ protocol: /^https?$/ }).meta({ pattern: '^[hH][tT][tT][pP][sS]?://' })

/** Any JSON object without a key `__proto__`, which a record would silently drop. */
export const jsonObject = z.preprocess(
  (input: Record<string, unknown>, context) => {
    if (isObject(input) && Object.hasOwn(input, '__proto__'))
      context.issues.push({ code: 'unrecognized_keys', keys: ['__proto__'], input })
    return input
  },
  z.record(z.string(), z.unknown()),
)

const isObject = (input: unknown) => typeof input === 'object' && input !== null

const stateCodes =
  'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC AS GU MP PR VI'

/** Postal codes of the states, the federal district and the territories. */
export const usState = z.enum(stateCodes.split(' '))
