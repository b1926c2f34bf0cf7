import { defuseFormula } from '@pawl/base/defuse-formula'
import { linesOf } from './lines.ts'
import type { Report } from './report.ts'

/** A report as CSV (RFC 4180): a header, then one figure per row, first of all resources, then group by group. A cell that a spreadsheet would run as a formula begins with an apostrophe. */
export function toCsv({ from, to, by, figures, groups }: Report): string {
  const header = ['from', 'to', 'by', 'group', 'figure', 'reason', 'value', 'unit']
  const parts = [{ name: 'all', figures }, ...groups]
  const rows = parts.flatMap((part, index) =>
    linesOf(part.figures).map(({ figure, reason = '', value, unit }) => [
      from,
      to,
      index === 0 ? '' : (by ?? ''),
      part.name,
      figure,
      reason,
      value === null ? '' : String(value),
      unit,
    ]),
  )
  return [header, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

/** One cell, quoted if needed. */
export function cell(text: string): string {
  const safe = defuseFormula(text)
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
