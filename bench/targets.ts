import { ratioOf } from './compare.ts'
import type { Row, Target } from './scenario.ts'

const notMeasured = 'not measured'

/** A figure of one contender, held against that of another; of several others, against the best one of each round. */
export interface Comparison {
  key: string
  contender: string
  to: string | readonly string[]
  /** Where it holds, in front of the contender's name. */
  where?: string
}

/** That one contender reaches at least so many times the figure of another. */
export function atLeast(rows: readonly Row[], { key, contender, to, where }: Comparison, factor: number): Target {
  const reached = ratioOf(rows, key, contender, to)
  const others = typeof to === 'string' ? to : `the better of ${to.join(' and ')}`
  const wanted = `${where === undefined ? '' : `${where}: `}${contender}, at least ${factor.toFixed(Number.isInteger(factor * 10) ? 1 : 2)} x ${others}`
  if (Number.isNaN(reached)) return { wanted, reached: notMeasured }
  return { wanted, reached: `${reached.toFixed(2)} x`, met: reached >= factor }
}

/** That a figure stays at or below a limit; NaN was not measured. */
export function atMost(what: string, value: number, limit: number, unit = ''): Target {
  const digits = limit < 10 ? 2 : 0
  const text = (n: number) => `${n.toLocaleString('en', { maximumFractionDigits: digits })}${unit}`
  const wanted = `${what}: at most ${text(limit)}`
  if (Number.isNaN(value)) return { wanted, reached: notMeasured }
  return { wanted, reached: text(value), met: value <= limit }
}
