import { afterEach, expect, it, vi } from 'vitest'
import { dayOf, isDay } from '../src/days.ts'
import { toDateTime, toDay, toInstant } from '../../ehr/src/primitives.ts'
import { filterOfAudit } from '../../console/src/audit-query.ts'

afterEach(() => void vi.unstubAllEnvs())

it('gives the day of a moment by the time zone of the process, and a FHIR date as it is', () => {
  const moment = '2026-11-01T00:30:00Z'
  vi.stubEnv('TZ', 'America/New_York')
  expect([dayOf(new Date(moment)), toDay(moment), toDay('2026-11-01'), toDay('2026-11')]).toEqual([
    '2026-10-31',
    '2026-10-31',
    '2026-11-01',
    '2026-11',
  ])
  vi.stubEnv('TZ', 'UTC')
  expect([dayOf(new Date(moment)), toDay(moment)]).toEqual(['2026-11-01', '2026-11-01'])
})

it('filters the audit trail by whole days of the time zone of the process, also where one has 25 hours', () => {
  vi.stubEnv('TZ', 'America/New_York')
  expect(filterOfAudit({ from: '2026-11-01', to: '2026-11-01' })).toMatchObject({
    since: Date.parse('2026-11-01T04:00:00Z'),
    until: Date.parse('2026-11-02T05:00:00Z'),
  })
})

it.each(['2026-02-30', '2026-02-29', '2026-04-31', '2026-13-01', '2026-00-10', '2026-01-00', '2026-1-1', ''])(
  'knows no day %j, nor a time on it',
  (day) => {
    expect([isDay(day), toDateTime(day), toDateTime(`${day}T08:00:00Z`), toInstant(`${day}T08:00`)]).toEqual([
      false,
      undefined,
      undefined,
      undefined,
    ])
  },
)

it('knows the leap day of a leap year, and its times', () => {
  expect(isDay('2028-02-29')).toBe(true)
  expect(toDateTime('2028-02-29')).toBe('2028-02-29')
  expect(toDateTime('2028-02-29T23:30:00-05:00')).toBe('2028-03-01T04:30:00.000Z')
})
