import { ratioOf } from './compare.ts'
import type { Row, Target } from './scenario.ts'

/** That one contender reaches at least so many times the figure of another. */
export function atLeast(rows: readonly Row[], key: string, [contender, to]: [string, string], factor: number): Target {
  const reached = ratioOf(rows, key, contender, to)
  return {
    wanted: `${contender}: at least ${factor.toFixed(1)} x ${to}`,
    reached: `${reached.toFixed(2)} x`,
    met: reached >= factor,
  }
}

/** That a figure stays at or below a limit. */
export function atMost(what: string, value: number, limit: number, unit = ''): Target {
  const text = (n: number) => `${Math.round(n).toLocaleString('en')}${unit}`
  return { wanted: `${what}: at most ${text(limit)}`, reached: text(value), met: value <= limit }
}
