import { queryOf } from './failure-filter.ts'
import type { HoldName } from './holding.ts'

/** Such as "handler chart" or "all work". */
export function nameOfHold({ kind, name }: HoldName): string {
  return kind === 'all' ? 'all work' : `${kind} ${name}`
}

/** Address of the page that pauses and resumes one handler, one system or all work. */
export function addressOfHold({ kind, name }: HoldName): string {
  return `/handlers/hold${queryOf({ kind, name })}`
}
