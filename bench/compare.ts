import { monotonicMs } from './monotonic.ts'
import type { Bench, Row } from './scenario.ts'
import { median } from './statistics.ts'

/** Who takes part, and how one round of it is measured. */
export interface Contender {
  name: string
  measure(): Promise<Record<string, number>>
}

/** Rounds that a busy machine gets more time for. */
const fewest = 5

/** Measures all contenders in each round, so that what else the machine does meets all alike; every round begins with another one, and after `longestMs` none begins but the fewest that mean something. */
export async function compare(
  contenders: readonly Contender[],
  { rounds, say, longestMs = Infinity }: Pick<Bench, 'rounds' | 'say'> & { longestMs?: number },
): Promise<Row[]> {
  const startedAt = monotonicMs()
  const rows = contenders.map(({ name }): Row => ({ contender: name, rounds: [] }))
  for (let round = 0; round < rounds && (round < fewest || monotonicMs() < startedAt + longestMs); round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const index = (round + turn) % contenders.length
      const contender = contenders[index]
      if (contender === undefined) continue
      say(`round ${round + 1} of ${rounds}: ${contender.name}`)
      rows[index]?.rounds.push(await contender.measure())
    }
  }
  return rows
}

/** The median of one figure of one contender. */
export function medianOf(rows: readonly Row[], contender: string, key: string): number {
  return median(roundsOf(rows, contender).map((round) => round[key] ?? NaN))
}

/** How many times the other's figure a contender reaches, or that of the best of several: the median of the ratios within the same round; NaN without either. */
export function ratioOf(rows: readonly Row[], key: string, contender: string, to: string | readonly string[]): number {
  return median(ratiosOf(rows, key, contender, to))
}

/** The same ratio within each round. */
export function ratiosOf(
  rows: readonly Row[],
  key: string,
  contender: string,
  to: string | readonly string[],
): number[] {
  const others = [to].flat().map((name) => roundsOf(rows, name))
  const best = (index: number) =>
    Math.max(...others.flatMap((rounds) => (rounds.length === 0 ? [] : [rounds[index]?.[key] ?? NaN])))
  if (others.every((rounds) => rounds.length === 0)) return []
  return roundsOf(rows, contender).map((round, index) => (round[key] ?? NaN) / best(index))
}

function roundsOf(rows: readonly Row[], contender: string): Row['rounds'] {
  return rows.find((row) => row.contender === contender)?.rounds ?? []
}
