import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { BenefitVerification } from '../../src/schemas/benefit-verification.ts'
import type { ClinicalQualification } from '../../src/schemas/clinical-qualification.ts'
import { asSent, lenientOf } from '../../src/schemas/lenient.ts'
import type { PriorAuthorization } from '../../src/schemas/prior-authorization.ts'
import type { ProviderOutreach } from '../../src/schemas/provider-outreach.ts'
import { essential } from '../../src/schemas/shape.ts'

const strict = z.strictObject({
  id: essential(z.string().min(1)),
  status: essential(z.enum(['open', 'closed'])),
  size: z.int().min(3).nullable(),
  born: z.iso.date().nullish(),
  items: z.array(z.strictObject({ key: essential(z.string()), note: z.string().optional() })).readonly(),
  detail: z.union([
    z.strictObject({ kind: z.literal('fax'), url: z.url() }),
    z.strictObject({ kind: z.enum(['call', 'visit']), notes: z.union([z.string(), z.number()]) }),
  ]),
  content: z.unknown().optional(),
})
const read = lenientOf(strict)
const least = { id: 'x_1', status: 'open' }

describe('a reading by a strict schema', () => {
  const whole = {
    ...least,
    size: 3,
    born: '2026-01-01',
    items: [{ key: 'a', note: 'n', more: 1 }],
    detail: { kind: 'fax', url: 'https://x.example', further: {} },
    content: { any: [1] },
    novelty: true,
  }

  it('keeps what fits, and under unknownFields what the schema does not know', () => {
    expect(read.parse(whole)).toEqual({
      ...least,
      size: 3,
      born: '2026-01-01',
      items: [{ key: 'a', note: 'n', unknownFields: { more: 1 } }],
      detail: { kind: 'fax', url: 'https://x.example', unknownFields: { further: {} } },
      content: { any: [1] },
      unknownFields: { novelty: true },
    })
    expect(read.parse(least)).not.toHaveProperty('unknownFields')
  })

  it('reads the same when read twice, and is what was sent when turned back', () => {
    const once = read.parse(whole)
    expect(read.parse(once)).toEqual(once)
    expect(asSent(once)).toEqual(whole)
    const more = { ...once, unknownFields: { ...once.unknownFields, later: 2 } }
    expect(read.parse({ ...more, newest: 3 }).unknownFields).toEqual({ novelty: true, later: 2, newest: 3 })
    expect(read.parse({ ...least, unknownFields: 'a text' }).unknownFields).toEqual({ unknownFields: 'a text' })
  })

  it('takes a new code, a value out of bounds, and fields of several alternatives', () => {
    const odd = { id: 'x_1', status: 'paused', size: 1, born: 'soon', detail: { kind: 'letter', url: '-', notes: 7 } }
    expect(read.parse(odd)).toEqual(odd)
  })

  it('passes over a field that does not fit, and an item without what is essential to it', () => {
    const odd = { ...least, size: '3', born: null, detail: 'fax', items: [{ key: 'a', note: 7 }, { note: 'b' }, 'c'] }
    expect(read.parse(odd)).toEqual({ ...least, items: [{ key: 'a' }] })
  })

  it.each([{ status: 'open' }, { id: 'x_1' }, { ...least, id: '' }, { ...least, status: 7 }, null, 'text', []])(
    'is nothing without what is essential: %j',
    (document) => expect(read.safeParse(document).success).toBe(false),
  )

  it('has a type as precise as the schema', () => {
    const { status, size, items, detail } = read.parse(least)
    // @ts-expect-error: no documented code
    expect(status === 'opened').toBe(false)
    // @ts-expect-error: no documented field
    expect(read.parse(least).novelty).toBeUndefined()
    // @ts-expect-error: the field may be absent
    expect(() => size.toFixed()).toThrow(TypeError)
    const kind: 'fax' | 'call' | 'visit' | `undocumented: ${string}` | undefined = detail?.kind
    const key: string | undefined = items?.[0]?.key
    expect([kind, key]).toEqual([undefined, undefined])
  })
})

/** The documented fields that the compiler knows nothing of. */
type Untyped<T> = keyof { [K in keyof T as unknown extends T[K] ? K : never]: true }
type None<T> = [T] extends [never] ? true : false

it('the compiler finds no field of a resource without a type', () => {
  const isTyped: [
    None<Untyped<PriorAuthorization>>,
    None<Untyped<BenefitVerification>>,
    None<Untyped<ClinicalQualification>>,
    None<Untyped<ProviderOutreach>>,
  ] = [true, true, true, true]
  expect(isTyped).not.toContain(false)
})
