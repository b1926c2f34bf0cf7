import { expect, it } from 'vitest'
import { ago } from '../../base/src/pages/words.tsx'
import { describePause } from '../src/commands/pause-commands.ts'
import { statesOf } from '../src/overview-reading.ts'

const error = { code: 'ehr_write_failed', message: '', httpStatus: 503 }
const away = { system: 'ehr', forMs: 1, error }

it('a system is shown in the colour of its fault in the verdict, also where it refuses one kind of request', () => {
  const show = (...of: Parameters<typeof statesOf>) => statesOf(...of).map(({ state, tone }) => `${state}: ${tone}`)
  expect(show({ ehr: 'closed' }, [], [])).toEqual(['in use: good'])
  expect(show({ ehr: 'open' }, [], [away])).toEqual(['away: wait'])
  const refused = { ...away, error: { ...error, httpStatus: 401 } }
  expect(show({ ehr: 'open' }, [], [refused])).toEqual(['refuses pawl: bad'])
  const tasks = { ...refused, request: 'PUT /Task' }
  expect(show({ ehr: 'closed', api: 'closed' }, [], [tasks])).toEqual(['refuses some: bad', 'in use: good'])
  const pause = { kind: 'system', name: 'ehr', since: 1, forMs: 1 } as const
  expect(show({ ehr: 'open' }, [pause], [away])).toEqual(['paused: wait'])
  expect(show({ ehr: 'half_open' }, [], [away])).toEqual(['being probed: wait'])
})

it('an age is told in whole units, and a pause that has just begun without one', () => {
  expect([900, 35_500, 100_000].map(ago)).toEqual(['just now', '35 s ago', '1 min ago'])
  const pause = { kind: 'system', name: 'ehr', since: 1, forMs: 400 } as const
  expect(describePause(pause)).toBe('system ehr')
  expect(describePause({ ...pause, forMs: 90_000, reason: 'an upgrade' })).toBe('system ehr for 90 s: an upgrade')
})
