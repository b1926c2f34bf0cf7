import type { Grouping } from 'pawl-client/schemas/outcome-facts'
import { figuresOf } from './figures.ts'
import type { Period } from './period.ts'
import type { Report } from './report.ts'
import { count, createTally, merge, type Tally } from './tally.ts'
import type { LagViews } from '@pawl/ledger/projections/lags'
import type { OutcomeCursor, OutcomeViews } from '@pawl/ledger/views/list-outcomes'

/** Smaller groups could identify a patient. */
const minGroupSize = 11
/** Maximum groups shown; the rest is in `others`. */
const maxGroups = 200

/** Shorter lags are not worth a word, in milliseconds. */
const minLagMs = 10_000

interface ReportQuery extends Period {
  by?: Grouping | undefined
  /** Show groups of any size. */
  small?: boolean
}

interface Reading {
  /** Called with the number of resources counted so far, and awaited before the next part is read. */
  onCounted?: (resources: number) => Promise<void>
  /** Aborts the reading, which then rejects. */
  signal?: AbortSignal
}

/** Reports on the PAs and BVs of a period, from the ledger only, reading its rows in parts. */
export async function readReport(
  ledger: OutcomeViews & LagViews,
  { from, to, by, small = false }: ReportQuery,
  { onCounted, signal }: Reading = {},
): Promise<Report> {
  const groups = new Map<string | undefined, Tally>()
  let counted = 0
  const { outcomes: behindMs } = await ledger.projectionLags()
  for (let after: OutcomeCursor | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    signal?.throwIfAborted()
    const { rows, next } = await ledger.listOutcomes({ from, to, by }, after)
    for (const record of rows) {
      const group = groups.get(record.group) ?? createTally()
      groups.set(record.group, group)
      count(group, record, { from, to })
    }
    counted += rows.length
    await onCounted?.(counted)
    after = next
  }
  const all = createTally()
  for (const tally of groups.values()) merge(all, tally)
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...(by !== undefined && { by }),
    ...(behindMs >= minLagMs && { behindMs }),
    figures: figuresOf(all),
    groups: by === undefined ? [] : mergeSmall(groups, small ? 1 : minGroupSize),
  }
}

/** The groups, with those below `minSize` merged into one. The merged group also reaches `minSize`; otherwise the difference to the total would reveal it. */
function mergeSmall(groups: ReadonlyMap<string | undefined, Tally>, minSize: number): Report['groups'] {
  // The group without a name sorts last among groups of its size.
  const ordered = [...groups].toSorted(
    ([a = '\uffff', one], [b = '\uffff', other]) => other.resources - one.resources || (a < b ? -1 : 1),
  )
  const shown = ordered.filter(([, { resources }]) => resources >= minSize).slice(0, maxGroups)
  const others = createTally()
  for (const [, tally] of ordered.slice(shown.length)) merge(others, tally)
  while (others.resources > 0 && others.resources < minSize && shown.length > 0) {
    const smallest = shown.pop()
    if (smallest !== undefined) merge(others, smallest[1])
  }
  return [
    ...shown.map(([name, tally]) => ({
      kind: name === undefined ? ('unknown' as const) : ('one' as const),
      name: name ?? 'unknown',
      figures: figuresOf(tally),
    })),
    ...(others.resources > 0 ? [{ kind: 'others' as const, name: 'others', figures: figuresOf(others) }] : []),
  ]
}
