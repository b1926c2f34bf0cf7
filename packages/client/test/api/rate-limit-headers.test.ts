import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRateLimits } from '../../src/api/read-rate-limits.ts'

const read = (RateLimit: string) => readRateLimits(new Headers({ RateLimit }))

describe('rate limit headers', () => {
  it('tell quota, window, what is left and for how long, policy by policy', () => {
    const headers = new Headers({
      'RateLimit-Policy': '"write-endpoint-minute";q=60;w=60, "bv-drug-24h";q=500;w=86400;dh-unit="drug"',
      RateLimit: '"write-endpoint-minute";r=12;t=30, "new-policy";r=1;t=5',
    })
    expect(readRateLimits(headers)).toEqual([
      { name: 'write-endpoint-minute', quota: 60, windowMs: 60_000, remaining: 12, resetMs: 30_000 },
      { name: 'bv-drug-24h', quota: 500, windowMs: 86_400_000 },
      { name: '?1', remaining: 1, resetMs: 5_000 },
    ])
  })

  it('that are absent, malformed or senseless say nothing', () => {
    expect(readRateLimits(new Headers())).toEqual([])
    expect(read('limit=60, remaining=1')).toEqual([])
    expect(read('"p";r=-1;t="soon", 7;r=1, "";r=1, ("q" "s");r=1')).toEqual([{ name: '?1' }])
  })

  it('do not give on a name that is not documented, and tell several apart', () => {
    const headers = new Headers({
      'RateLimit-Policy': '"testa-sample";q=9;w=60, "born-1980";q=5;w=60',
      RateLimit: '"testa-sample";r=4;t=30, "born-1980";r=1;t=5',
    })
    expect(readRateLimits(headers)).toEqual([
      { name: '?1', quota: 9, windowMs: 60_000, remaining: 4, resetMs: 30_000 },
      { name: '?2', quota: 5, windowMs: 60_000, remaining: 1, resetMs: 5_000 },
    ])
  })

  it('may name a policy without quotes, and leave blanks and unknown parameters', () => {
    expect(read('  policy;r=1.5;burst;x=:YQ==: \t,\t"q"; r=2')).toEqual([
      { name: '?1', remaining: 1.5 },
      { name: '?2', remaining: 2 },
    ])
  })

  it.each([
    '"p";r=1,',
    ',"p";r=1',
    '"p";r=1;',
    '"p";r=',
    '"p";R=1',
    '"p";r=1 "q"',
    '"p";r=1, "open',
    '"p";r=1, "é"',
    '"p";r=1.',
    '"p";r=1.2345',
    '"p";r=1;x=?2',
  ])('that do not parse, such as %j, are ignored as a whole', (field) => expect(read(field)).toEqual([]))

  it('are read or ignored, and never throw, with any content', () => {
    const latin1 = fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) })
    fc.assert(
      fc.property(fc.oneof(latin1, fc.stringMatching(/^["a;=,\\ 1?.()%@:-]*$/)), (field) => {
        expect(Array.isArray(read(field))).toBe(true)
      }),
    )
  })
})
