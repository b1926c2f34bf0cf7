import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRateLimits } from '../../src/api/rate-limit-headers.ts'
import { type BareItem, readList } from '../../src/api/structured-field.ts'

const key = fc.stringMatching(/^[a-z*][a-z0-9_\-.*]{0,12}$/)
const text = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) })
const bare: fc.Arbitrary<BareItem> = fc.oneof(
  text,
  fc.boolean(),
  fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 }),
)
const item = fc.record({ value: bare, params: fc.dictionary(key, bare) })
const space = fc.constantFrom('', ' ', '\t', '  ')

const writeBare = (value: BareItem): string => {
  if (typeof value === 'boolean') return value ? '?1' : '?0'
  return typeof value === 'number' ? String(value) : `"${value.replace(/["\\]/g, '\\$&')}"`
}
const writeItem = ({ value, params }: { value: BareItem; params: Record<string, BareItem> }) =>
  writeBare(value) +
  Object.entries(params)
    .map(([name, param]) => `;${name}=${writeBare(param)}`)
    .join('')

describe('a structured-field list', () => {
  it('reads back whatever is written by the rules', () => {
    fc.assert(
      fc.property(fc.array(item), space, (items, blank) => {
        const read = readList(items.map(writeItem).join(`${blank},${blank}`))
        expect(read).toEqual(items.map(({ value, params }) => ({ value, params: new Map(Object.entries(params)) })))
      }),
    )
  })

  it('is either read or passed over as a whole, never an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^["a;=,\\ 1?.()-]*$/)), (field) => {
        const read = readList(field)
        expect(read === undefined || Array.isArray(read)).toBe(true)
      }),
    )
  })

  it('knows tokens, decimals and flags', () => {
    expect(readList('policy;w=1.5;burst, *')).toEqual([
      {
        value: 'policy',
        params: new Map<string, BareItem>([
          ['w', 1.5],
          ['burst', true],
        ]),
      },
      { value: '*', params: new Map() },
    ])
  })

  it.each([
    '"open',
    'a,',
    ',a',
    'a;',
    'a;=1',
    'a;b=',
    'a;B=1',
    'a b',
    '"é"',
    '(a b)',
    ':YQ==:',
    '1.',
    '1.2345',
    'a, ,b',
    '?2',
  ])('does not guess at %j', (field) => expect(readList(field)).toBeUndefined())

  it('takes its time in proportion to its length', () => {
    expect(readList(`"${'\\"'.repeat(50_000)}`)).toBeUndefined()
    expect(readList('a;'.repeat(50_000))).toBeUndefined()
  })
})

describe('rate limit headers', () => {
  it('tell quota, window, what is left and for how long, policy by policy', () => {
    const headers = new Headers({
      'RateLimit-Policy': '"write-endpoint-minute";q=60;w=60, "bv-drug-24h";q=500;w=86400;dh-unit="drug"',
      RateLimit: '"write-endpoint-minute";r=12;t=30, "new-policy";r=1;t=5',
    })
    expect(readRateLimits(headers)).toEqual([
      { name: 'write-endpoint-minute', quota: 60, windowMs: 60_000, remaining: 12, resetMs: 30_000 },
      { name: 'bv-drug-24h', quota: 500, windowMs: 86_400_000 },
      { name: 'new-policy', remaining: 1, resetMs: 5_000 },
    ])
  })

  it('that are absent, malformed or senseless say nothing', () => {
    expect(readRateLimits(new Headers())).toEqual([])
    expect(readRateLimits(new Headers({ RateLimit: 'limit=60, remaining=1' }))).toEqual([])
    expect(readRateLimits(new Headers({ RateLimit: '"p";r=-1;t="soon", 7;r=1' }))).toEqual([{ name: 'p' }])
  })
})
