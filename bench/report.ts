import { cpus, totalmem } from 'node:os'
import { ratiosOf } from './compare.ts'
import type { Outcome, Row } from './scenario.ts'
import { median, percentile, spreadOf } from './statistics.ts'

/** Description of a machine: enough to read the figures, not enough to know its owner. */
export function describeMachine() {
  return { cores: cpus().length, memoryGb: Math.round(totalmem() / 2 ** 30), node: process.versions.node }
}

/** One scenario as a table of medians, with its targets and notes. */
export function formatOutcome({ columns, ratios = [], rows, targets, notes = [] }: Outcome): string {
  const [first, ...others] = columns
  if (first === undefined) return ''
  const head = ['', first.title, 'min - max', ...[...others, ...ratios].map(({ title }) => title)]
  const lines = rows.map((row) => [
    row.contender,
    number(spread(row, first.key).median, first.digits),
    `${number(spread(row, first.key).min, first.digits)} - ${number(spread(row, first.key).max, first.digits)}`,
    ...others.map(({ key, digits }) => number(spread(row, key).median, digits)),
    ...ratios.map(({ key, to }) => formatRatio(ratiosOf(rows, key, row.contender, to))),
  ])
  const verdicts = targets.map(({ wanted, reached, met }) => `${verdictOf(met)}  ${wanted} (${reached})`)
  return [...align([head, ...lines]), '', ...verdicts, ...notes.map((note) => `note    ${note}`)].join('\n')
}

function verdictOf(met: boolean | undefined): string {
  if (met === undefined) return '-     '
  return met ? 'met   ' : 'missed'
}

/** In minutes and seconds. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** The median, and between what the middle half lies. */
export function formatRatio(ratios: readonly number[]): string {
  if (ratios.length === 0) return '-'
  const [middle, low, high] = [median(ratios), percentile(ratios, 0.25), percentile(ratios, 0.75)]
  return number(middle, 2) + (ratios.length > 1 ? ` (${number(low, 2)}-${number(high, 2)})` : '')
}

function spread(row: Row, key: string) {
  return spreadOf(row.rounds.map((round) => round[key] ?? NaN))
}

function number(value: number, digits = 0): string {
  if (Number.isNaN(value)) return '-'
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

function align(lines: readonly string[][]): string[] {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}
