export { formatDuration } from '../base/format-duration.ts'
/** Prints one line on standard output. */
export type Print = (line: string) => void

/** Prints one JSON document, as every `--json` does. */
export function printJson(print: Print, value: unknown): void {
  print(JSON.stringify(value, undefined, 2))
}

/** What `--json` of a command says in its help. */
export const jsonOption = ['--json', 'as one JSON object'] as const

/** Such as "1 resource" and "2 resources". */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A line of two columns; without a label it belongs to the line before. */
export function formatRow(label: string, text: string | number): string {
  return `${label.padEnd(10)} ${text}`
}

/** Lines of columns as wide as what is in them. */
export function formatTable(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
