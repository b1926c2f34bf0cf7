import { expect, it } from 'vitest'
import { judge } from '../../bench/guard.ts'

const kept = { date: '2026-11-28', one: 0.6, five: 2 }

it('the guard of the benchmark passes a CPU ratio that fell by less than a tenth, or rose', () => {
  const { lines, isWorse } = judge(kept, { date: '2026-12-01', one: 0.55, five: 2.5 })
  expect(isWorse).toBe(false)
  expect(lines).toEqual([
    'met     one event a PA: CPU ratio 0.55, 0.60 on 2026-11-28 (-8 %)',
    'met     five events a PA: CPU ratio 2.50, 2.00 on 2026-11-28 (+25 %)',
  ])
})

it('the guard of the benchmark fails where either CPU ratio fell by a tenth, and says what to do', () => {
  const { lines, isWorse } = judge(kept, { date: '2026-12-01', one: 0.6, five: 1.8 })
  expect(isWorse).toBe(true)
  expect(lines[0]).toMatch(/^met /)
  expect(lines[1]).toBe(
    'missed  five events a PA: CPU ratio 1.80, 2.00 on 2026-11-28 (-10 %): a PA takes more CPU than it did. Find out why, or keep the new figure with --guard --keep.',
  )
})

it('the guard of the benchmark fails where nothing was measured', () => {
  const { lines, isWorse } = judge(kept, { date: '2026-12-01', one: NaN, five: 2 })
  expect(isWorse).toBe(true)
  expect(lines[0]).toBe('missed  one event a PA: one of the two was not measured')
})
