import { type RawBuilder, sql } from 'kysely'
import { numberOf } from '../resource-number.ts'
import type { WorkFilter, WorkState } from './work-filter.ts'

/** SQL conditions of each state. */
export const stateConditions = {
  parked: sql<boolean>`work.state = 'parked'`,
  failing: sql<boolean>`work.state = 'due' and work.waits_since is null and work.error_code is not null`,
  waiting: sql<boolean>`work.waits_since is not null`,
} as const satisfies Record<WorkState, RawBuilder<boolean>>

/** SQL conditions on `work` for a filter. */
export function fits(filter: WorkFilter) {
  const { resourceId, state, handler, errorCode, system, handlerNames, exceptHandlers, exceptErrors } = filter
  const { failedUpTo, retriableAt } = filter
  const conditions = [
    ...(resourceId === undefined ? [] : [sql<boolean>`work.resource = ${numberOf(resourceId)}`]),
    ...(state === undefined ? [] : [stateConditions[state]]),
    ...(handler === undefined ? [] : [sql<boolean>`work.handler = ${handler}`]),
    ...(errorCode === undefined ? [] : [sql<boolean>`work.error_code = ${errorCode}`]),
    ...(system === undefined ? [] : [sql<boolean>`work.error_system = ${system}`]),
    ...(failedUpTo === undefined ? [] : [sql<boolean>`work.failure_id <= ${failedUpTo}`]),
    ...(retriableAt === undefined
      ? []
      : [sql<boolean>`(work.state = 'parked' or work.attempts > 0 or work.due_at > ${retriableAt})`]),
    ...(exceptErrors === undefined
      ? []
      : [sql<boolean>`(work.error_code is null or work.error_code not in (${sql.join(exceptErrors)}))`]),
    ...(exceptHandlers === undefined || exceptHandlers.length === 0
      ? []
      : [sql<boolean>`work.handler not in (${sql.join(exceptHandlers)})`]),
    ...(handlerNames === undefined
      ? []
      : [handlerNames.length === 0 ? sql<boolean>`1 = 0` : sql<boolean>`work.handler in (${sql.join(handlerNames)})`]),
  ]
  return conditions.length === 0 ? sql<boolean>`1 = 1` : sql.join<boolean>(conditions, sql` and `)
}
