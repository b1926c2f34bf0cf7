import { causeOf, parkedLevel } from './alerts/find-failed-work.ts'
import type { AlertRecord } from '@pawl/ledger/alerts/alert-records'
import { groupBy } from '@pawl/ledger/hot/group-by'
import type { WorkState } from '@pawl/ledger/hot/work-filter'
import type { WorkGroup } from '@pawl/ledger/views/work-group'
import { noSystem, type WorkFilter } from './contract/filter.ts'
import { totalOf } from './filtered-work.ts'
import { isRefusal } from './faults/fault-of-alert.ts'
import { systemName } from './faults/names.ts'
import { sayCause } from './faults/reasons.ts'

/** Failed work of one cause: a system that did not take it, or a handler that failed by itself. */
export interface Cause {
  /** Such as "The chart refuses: HTTP 403". */
  title: string
  state: WorkState
  /** Absent where several handlers share the cause. */
  handler: string | undefined
  /** Empty if unknown. */
  system: string
  errorCode: string
  /** Of the answer that refused or failed it. */
  httpStatus: number | undefined
  groups: readonly WorkGroup[]
}

/** Groups of failed work by cause, as alerts do; the largest first. */
export function causesOf(groups: readonly WorkGroup[]): Cause[] {
  const keyed = groupBy(groups, (group) => {
    const { kind, subject } = causeOf(group)
    return `${group.state} ${kind} ${subject}`
  })
  const causes = [...keyed.values()].flatMap((own) => {
    const [first] = own
    if (first === undefined) return []
    const { state, system, errorCode, httpStatus } = first
    const handler = own.every((group) => group.handler === first.handler) ? first.handler : undefined
    return [{ title: titleOf(first), state, handler, system, errorCode, httpStatus, groups: own }]
  })
  return causes.toSorted((one, other) => totalOf(other.groups) - totalOf(one.groups))
}

/** The filter that matches exactly the work of a cause. */
export function filterOfCause({ state, handler, system, errorCode }: Cause): WorkFilter {
  return {
    state,
    handler: system === '' ? handler : undefined,
    system: system === '' ? noSystem : system,
    error: errorCode,
  }
}

/** Whether an alert is about this cause. */
export function isAbout(
  { kind, subject, level }: Pick<AlertRecord, 'kind' | 'subject' | 'level'>,
  cause: Cause,
): boolean {
  const [first] = cause.groups
  if (first === undefined || cause.state !== (level === parkedLevel ? 'parked' : 'failing')) return false
  const of = causeOf(first)
  return of.kind === kind && of.subject === subject
}

/** Error codes of parked work with a fault of their own. */
const known: Readonly<Record<string, 'bug' | 'unknown_here'>> = { unexpected: 'bug', not_found_yet: 'unknown_here' }

/** The fault of the catalogue of a cause that parks work. */
export function parkedFault({ errorCode, system, httpStatus }: Pick<Cause, 'errorCode' | 'system' | 'httpStatus'>) {
  return known[errorCode] ?? (system !== '' && isRefusal(httpStatus) ? 'resource_refused' : 'parked')
}

function titleOf({ handler, system, errorCode, httpStatus }: WorkGroup): string {
  if (system === '') return sayCause(handler, errorCode)
  const name = systemName(system)
  if (httpStatus === undefined) return sayCause(name, errorCode)
  return `${name} ${httpStatus < 500 ? 'refuses' : 'fails'}: HTTP ${httpStatus}`
}
