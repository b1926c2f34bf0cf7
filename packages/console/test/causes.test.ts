import { expect, it } from 'vitest'
import { causesOf } from '../src/causes.ts'
import { SystemDown } from '../../../src/systems/system-down.ts'
import type { WorkGroup } from '../../ledger/src/views/work-groups.ts'

const group: WorkGroup = {
  state: 'waiting',
  handler: 'to-chart',
  system: 'ehr',
  errorCode: 'system_down',
  count: 40,
  newest: 1,
  newestAt: 0,
  oldestAt: 0,
  message: '',
}
const titleOf = (of: Partial<WorkGroup>) => causesOf([{ ...group, ...of }])[0]?.title

it('a cause of waiting work tells a refused kind of request from a system that is away', () => {
  const refused = new SystemDown('ehr', 1, { request: 'PUT /Task' }).code
  expect(titleOf({ errorCode: refused })).toBe('The chart refuses a kind of request: request_refused')
  expect(titleOf({ errorCode: new SystemDown('ehr', 1).code })).toBe('The chart is away: system_down')
})

it('a cause of failed work has the status of the answer, which is read from no message', () => {
  const parked = { state: 'parked', errorCode: 'ehr_write_failed', message: 'no: HTTP 403.' } as const
  expect(titleOf(parked)).toBe('The chart: ehr_write_failed')
  expect(titleOf({ ...parked, httpStatus: 404 })).toBe('The chart refuses: HTTP 404')
  expect(titleOf({ ...parked, httpStatus: 503 })).toBe('The chart fails: HTTP 503')
})

it('the largest cause comes first', () => {
  const parked = { ...group, state: 'parked', system: '', errorCode: 'unexpected' } as const
  const causes = causesOf([
    { ...parked, handler: 'a', count: 16 },
    { ...parked, handler: 'b', count: 34 },
  ])
  expect(causes.map(({ handler }) => handler)).toEqual(['b', 'a'])
})
