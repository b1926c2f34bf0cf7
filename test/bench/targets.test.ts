import { expect, it } from 'vitest'
import type { Row } from '../../bench/scenario.ts'
import { atLeast, atMost } from '../../bench/targets.ts'

const row = (contender: string, ...rates: number[]): Row => ({ contender, rounds: rates.map((rate) => ({ rate })) })
const rows = [row('ours', 30, 60, 90), row('one', 10, 30, 10), row('two', 20, 10, 30)]

it('holds a contender against another within each round, and takes the median', () => {
  const { reached, met } = atLeast(rows, { key: 'rate', contender: 'ours', to: 'one' }, 3)
  expect({ reached, met }).toEqual({ reached: '3.00 x', met: true })
})

it('holds a contender against the best of several in each round', () => {
  const target = atLeast(rows, { key: 'rate', contender: 'ours', to: ['one', 'two'], where: '1 event' }, 2.5)
  expect(target).toEqual({
    wanted: '1 event: ours, at least 2.5 x the better of one and two',
    reached: '2.00 x',
    met: false,
  })
})

it('compares with those who took part, and leaves a target open where none did', () => {
  expect(atLeast(rows, { key: 'rate', contender: 'ours', to: ['one', 'absent'] }, 3).met).toBe(true)
  expect(atLeast(rows, { key: 'rate', contender: 'ours', to: 'absent' }, 1)).not.toHaveProperty('met')
  expect(atLeast(rows, { key: 'rate', contender: 'absent', to: 'one' }, 1)).toMatchObject({ reached: 'not measured' })
})

it('says of a limit whether it was kept, and leaves it open where nothing was measured', () => {
  expect(atMost('bytes', 49_999.6, 50_000)).toEqual({ wanted: 'bytes: at most 50,000', reached: '50,000', met: true })
  expect(atMost('p99', 60.4, 60, ' ms')).toMatchObject({ reached: '60 ms', met: false })
  expect(atMost('p99', NaN, 60, ' ms')).toEqual({ wanted: 'p99: at most 60 ms', reached: 'not measured' })
})
