import { namesOfSystem } from './faults/names.ts'
import { queryOf } from '@pawl/base/pages/query'
import type { PauseTarget } from '@pawl/ledger/hot/pause'

/** Such as "handler to-chart", "the chart (ehr)" or "all work". */
export function nameOfTarget({ kind, name }: PauseTarget): string {
  if (kind === 'all') return 'all work'
  if (kind === 'handler') return `handler ${name}`
  return namesOfSystem(name).system
}

/** Address of the page that pauses and resumes one handler, one system or all work. */
export function addressOfPause({ kind, name }: PauseTarget): string {
  return `/handlers/pause${queryOf({ kind, name })}`
}
