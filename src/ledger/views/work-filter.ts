import { type RawBuilder, sql } from 'kysely'
import { waitingErrors } from '../hot/waiting-errors.ts'

/** How work stands that failed: `parked` is out of attempts; `failing` is tried again by itself; `waiting` goes on once a hold is lifted, a system is back, or it is known whose fault its failure is. */
export type WorkState = 'parked' | 'failing' | 'waiting'

/** What tells one group of failed work from another: all of it failed at the same, the same way. */
export interface WorkKey {
  state: WorkState
  handler: string
  /** The system that it failed at; empty where that is not known. */
  system: string
  errorCode: string
}

/** Which parked and failed work: all of it, or what fits everything that is given. */
export interface WorkFilter {
  resourceId?: string | undefined
  handler?: string | undefined
  /** The code of the error that it failed with last. */
  errorCode?: string | undefined
  /** The system at which it failed last; empty: at none that is known. */
  system?: string | undefined
  state?: WorkState | undefined
  /** Of these handlers alone: what nobody can work on stays parked. Without it, of whatever handler. */
  handlerNames?: readonly string[] | undefined
  /** Of none of these handlers. */
  exceptHandlers?: readonly string[] | undefined
  /** Not what failed with one of these last. */
  exceptErrors?: readonly string[] | undefined
  /** What failed after the failure of this number. */
  failedAfter?: number | undefined
  /** What failed at the failure of this number or before. */
  failedUpTo?: number | undefined
}

/** One handler's work on one resource. */
export interface PieceOfWork {
  resourceId: string
  handler: string
}

/** What tells work that is given up, fails or waits. */
export const stateConditions = {
  parked: sql<boolean>`progress.state = 'parked'`,
  failing: sql<boolean>`progress.state = 'due' and progress.waits_since is null and progress.error_code is not null`,
  waiting: sql<boolean>`progress.waits_since is not null`,
} as const satisfies Record<WorkState, RawBuilder<boolean>>

/** How work stands that failed with this code: what is due again waits, or is on the way to be parked. */
export function stateOf(state: 'parked' | 'due', errorCode: string | null): WorkState {
  return state === 'parked' ? state : waitingErrors.some((code) => code === errorCode) ? 'waiting' : 'failing'
}

/** What a row of `progress` has to be for a filter to let it through. */
export function fits(filter: WorkFilter) {
  const { resourceId, state, handler, errorCode, system, handlerNames, exceptHandlers, exceptErrors } = filter
  const { failedAfter, failedUpTo } = filter
  const conditions = [
    ...(resourceId === undefined ? [] : [sql<boolean>`progress.resource_id = ${resourceId}`]),
    ...(state === undefined ? [] : [stateConditions[state]]),
    ...(handler === undefined ? [] : [sql<boolean>`progress.handler = ${handler}`]),
    ...(errorCode === undefined ? [] : [sql<boolean>`progress.error_code = ${errorCode}`]),
    ...(system === undefined ? [] : [sql<boolean>`progress.error_system = ${system}`]),
    ...(failedAfter === undefined ? [] : [sql<boolean>`progress.failure_id > ${failedAfter}`]),
    ...(failedUpTo === undefined ? [] : [sql<boolean>`progress.failure_id <= ${failedUpTo}`]),
    ...(exceptErrors === undefined
      ? []
      : [sql<boolean>`(progress.error_code is null or progress.error_code not in (${sql.join(exceptErrors)}))`]),
    ...(exceptHandlers === undefined || exceptHandlers.length === 0
      ? []
      : [sql<boolean>`progress.handler not in (${sql.join(exceptHandlers)})`]),
    ...(handlerNames === undefined
      ? []
      : [
          handlerNames.length === 0
            ? sql<boolean>`1 = 0`
            : sql<boolean>`progress.handler in (${sql.join(handlerNames)})`,
        ]),
  ]
  return conditions.length === 0 ? sql<boolean>`1 = 1` : sql.join<boolean>(conditions, sql` and `)
}

/** Whether a filter lets work of such a group through. */
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
