import { type RawBuilder, sql } from 'kysely'
import { isWaitingError } from './waiting-errors.ts'
import { numberOf } from '../resource-number.ts'

/** State of failed work: `parked` is out of attempts; `failing` is retried automatically; `waiting` continues once a pause is over, a system is back, or the cause of its failure is known. */
export type WorkState = 'parked' | 'failing' | 'waiting'

/** Key of a group of failed work: same handler, same system, same error. */
export interface WorkKey {
  state: WorkState
  handler: string
  /** The system that it failed at; empty if unknown. */
  system: string
  errorCode: string
}

/** Filter for parked and failed work; all fields given must match. */
export interface WorkFilter {
  resourceId?: string | undefined
  handler?: string | undefined
  /** Code of the last error. */
  errorCode?: string | undefined
  /** The system of the last failure; empty: unknown. */
  system?: string | undefined
  state?: WorkState | undefined
  /** Work of these handlers only, so that work without a handler stays parked; absent: of any handler. */
  handlerNames?: readonly string[] | undefined
  /** Excludes these handlers. */
  exceptHandlers?: readonly string[] | undefined
  /** Excludes work whose last error is one of these. */
  exceptErrors?: readonly string[] | undefined
  /** Failures up to and including the one with this number. */
  failedUpTo?: number | undefined
  /** Excludes work due at this time with all its attempts: a retry would change nothing. */
  retriableAt?: number | undefined
}

/** One handler's work on one resource. */
export interface PieceOfWork {
  resourceId: string
  handler: string
}

/** SQL conditions of each state. */
export const stateConditions = {
  parked: sql<boolean>`work.state = 'parked'`,
  failing: sql<boolean>`work.state = 'due' and work.waits_since is null and work.error_code is not null`,
  waiting: sql<boolean>`work.waits_since is not null`,
} as const satisfies Record<WorkState, RawBuilder<boolean>>

/** State of work that failed with this code: due work either waits or is failing. */
export function stateOf(state: 'parked' | 'due', errorCode: string | null): WorkState {
  return state === 'parked' ? state : isWaitingError(errorCode) ? 'waiting' : 'failing'
}

/** SQL conditions on `progress` for a filter. */
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

/** Whether a filter matches work of this group. */
export function hasKey(filter: WorkFilter, key: WorkKey): boolean {
  const isWanted = (wanted: string | undefined, value: string) => wanted === undefined || wanted === value
  return (
    isWanted(filter.state, key.state) &&
    isWanted(filter.handler, key.handler) &&
    isWanted(filter.system, key.system) &&
    isWanted(filter.errorCode, key.errorCode) &&
    (filter.handlerNames?.includes(key.handler) ?? true) &&
    !(filter.exceptHandlers?.includes(key.handler) ?? false) &&
    !(filter.exceptErrors?.includes(key.errorCode) ?? false)
  )
}
