import { expect, it } from 'vitest'
import { causesOf } from '../src/causes.ts'
import { SystemDown } from '../../../src/systems/system-down.ts'
import type { WorkGroup } from '../../ledger/src/views/work-groups.ts'

const waiting: WorkGroup = {
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
const titles = (message: string) => causesOf([{ ...waiting, message }]).map(({ title }) => title)

it('waiting work is called by the refused kind of request, unless all of the system is away', () => {
  expect(titles(new SystemDown('ehr', 1, { request: 'PUT /Task' }).message)).toEqual(['The chart refuses PUT /Task'])
  expect(titles(new SystemDown('ehr', 1).message)).toEqual(['The chart is away: system_down'])
})

it('the largest cause comes first', () => {
  const parked = { ...waiting, state: 'parked', system: '', errorCode: 'unexpected' } as const
  const causes = causesOf([
    { ...parked, handler: 'a', count: 16 },
    { ...parked, handler: 'b', count: 34 },
  ])
  expect(causes.map(({ handler }) => handler)).toEqual(['b', 'a'])
})
