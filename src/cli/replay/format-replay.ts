import { formatCount } from '../output.ts'
import type { Difference } from './compare.ts'
import type { ReplayResult } from './replay-ledger.ts'

const words: Record<Difference, string> = {
  differs: 'write differently',
  more: 'write more',
  less: 'not write',
  throws: 'throw',
  passes: 'succeed, failed',
  unknown: '(cannot tell)',
}

/** Lines of the result, grouped by handler and kind of difference. */
export function formatReplay({ compared, same, left, groups }: ReplayResult): string[] {
  const rows = groups.map(({ handler, is, what, count, ids }) => [
    handler,
    words[is],
    what,
    String(count),
    `${ids.join(', ')}${count > ids.length ? ', …' : ''}`,
  ])
  const table = rows.length === 0 ? [] : [['handler', 'would', 'what', 'resources', 'such as'], ...rows]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(0, ...table.map((row) => row[column]?.length ?? 0)))
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  const notCompared = [
    ...(left.inWork > 0 ? [`${left.inWork} in work`] : []),
    ...(left.nothingKept > 0 ? [`${left.nothingKept} without a snapshot`] : []),
  ]
  const rest = notCompared.length === 0 ? '' : `; not compared: ${notCompared.join(', ')}`
  return [...lines, `${formatCount(compared, 'run')} compared, ${same} the same${rest}.`]
}
