import { stampOf } from '@pawl/base/stamp'
import { namesOfSystem } from './faults/names.ts'
import { queryOf } from '@pawl/base/pages/query'
import type { HoldName } from '@pawl/ledger/hot/holds'

/** Such as "handler to-chart", "the chart (ehr)" or "all work". */
export function nameOfHold({ kind, name }: HoldName): string {
  if (kind === 'all') return 'all work'
  if (kind === 'handler') return `handler ${name}`
  return namesOfSystem(name).system
}

/** Version of a hold, by when it began: changes when it is paused or resumed. */
export function stampOfHold({ kind, name }: HoldName, since: number | undefined): string {
  return stampOf([kind, name, since ?? 'not paused'])
}

/** Address of the page that pauses and resumes one handler, one system or all work. */
export function addressOfHold({ kind, name }: HoldName): string {
  return `/handlers/hold${queryOf({ kind, name })}`
}
