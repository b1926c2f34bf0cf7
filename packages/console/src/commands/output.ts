export { formatDuration } from '@pawl/base/format-duration'
/** How urgent a line is; a terminal shows it in colour. */
export type Tone = 'bad' | 'warn' | 'wait' | 'good'

/** Prints one line on standard output. Line breaks become escapes, so that data cannot imitate a line of pawl's own. */
export type Print = (line: string, tone?: Tone) => void

/** Prints a text of several lines. */
export function printText(print: Print, text: string): void {
  for (const line of text.split('\n')) print(line)
}

/** Prints the JSON document of a `--json` option. */
export function printJson(print: Print, value: unknown): void {
  printText(print, JSON.stringify(value, undefined, 2))
}

/** Help text of `--json`. */
export const jsonOption = ['--json', 'as one JSON object'] as const

/** Such as "1 resource" and "2 resources". */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A line of two columns; without a label it continues the line before. */
export function formatRow(label: string, text: string | number): string {
  return `${label.padEnd(10)} ${text}`
}

/** Lines with aligned columns. */
export function formatTable(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
