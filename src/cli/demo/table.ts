import type { Verdict } from './verdict.ts'

const columns = {
  '': ({ title }) => title,
  id: ({ id }) => id,
  status: ({ status }) => status,
  deliveries: ({ deliveries }) => String(deliveries),
  duplicates: ({ duplicates }) => String(duplicates),
  'API reads': ({ reads }) => String(reads),
  'EHR writes': ({ ehrWrites }) => String(ehrWrites),
  documents: ({ documents }) => String(documents),
  'pharmacy posts': ({ pharmacyPosts }) => String(pharmacyPosts),
  'in sync': ({ differences }) => (differences.length === 0 ? 'yes' : 'NO'),
} as const satisfies Record<string, (verdict: Verdict) => string>

/** The verdicts as a plain-text table, with each difference on a line below. */
export function formatTable(verdicts: readonly Verdict[]): string {
  const cells = [
    Object.keys(columns),
    ...verdicts.map((verdict) => Object.values(columns).map((read) => read(verdict))),
  ]
  const widths = Object.keys(columns).map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const differences = verdicts.flatMap(({ title, differences }) => differences.map((each) => `${title}: ${each}`))
  return [
    lines[0],
    widths.map((width) => '-'.repeat(width)).join('  '),
    ...lines.slice(1),
    ...(differences.length === 0 ? [] : ['', ...differences]),
  ].join('\n')
}
