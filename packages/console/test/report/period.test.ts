import { describe, expect, it } from 'vitest'
import { readMoment, readPeriod } from '../../src/report/period.ts'
import { isWithin7Days, percentile, spreadOf } from '../../src/report/spread.ts'
import { cell } from '../../src/report/to-csv.ts'

describe('a period', () => {
  it('begins and ends with days of this time zone, or with moments', () => {
    expect(readMoment('2026-01-31')).toBe(new Date(2026, 0, 31).getTime())
    expect(readMoment('2026-01-31T08:00:00Z')).toBe(Date.UTC(2026, 0, 31, 8))
    expect(readMoment('2026-01-31T08:00:00+02:00')).toBe(Date.UTC(2026, 0, 31, 6))
  })

  it.each([
    '2026-02-30',
    '2026-02-30T08:00:00Z',
    '2026-1-1',
    '2026-01-31T08:00:00',
    'yesterday',
    '',
    '2026-13-01',
    '2026-01-31T25:00:00Z',
  ])('does not begin with %s', (text) => expect(readMoment(text)).toBeUndefined())

  it('is of 30 days up to now where nothing is said, and never empty', () => {
    const now = new Date(2026, 2, 31, 15).getTime()
    expect(readPeriod({}, now)).toEqual({ from: new Date(2026, 2, 1).getTime(), to: now })
    expect(readPeriod({ from: '2026-01-01', to: '2026-01-01' }, now)).toHaveProperty('fault')
  })
})

it('keeps seven calendar days until the end of the seventh, from any hour of the first', () => {
  const late = new Date(2026, 0, 5, 23, 59).getTime()
  expect(isWithin7Days([late, new Date(2026, 0, 12, 23, 59).getTime()])).toBe(true)
  expect(isWithin7Days([late, new Date(2026, 0, 13).getTime()])).toBe(false)
  expect(isWithin7Days([new Date(2026, 0, 5).getTime(), new Date(2026, 0, 12, 23, 59).getTime()])).toBe(true)
})

it('takes percentiles between two values in proportion', () => {
  expect([percentile([1, 2], 0.5), percentile([1, 2, 4], 0.5), percentile([5], 0.9), percentile([], 0.5)]).toEqual([
    1.5,
    2,
    5,
    null,
  ])
  expect(spreadOf([40, 10, 30, 20])).toEqual({ count: 4, medianMs: 25, p90Ms: 37, meanMs: 25 })
})

it.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "so"', '"say ""so"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@sum', "'@sum"],
  ['=a,b', '"\'=a,b"'],
  ['\u200b=1+1', "'\u200b=1+1"],
  ['＝1+1', "'＝1+1"],
  ['\r=1', '"\'\r=1"'],
  [' 1 = 1', ' 1 = 1'],
  ['a=b', 'a=b'],
])('writes the cell %j as %j', (text, written) => expect(cell(text)).toBe(written))
