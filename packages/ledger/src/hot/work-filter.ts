import { isWaitingError } from './waiting-errors.ts'

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

/** State of work that failed with this code: due work either waits or is failing. */
export function stateOf(state: 'parked' | 'due', errorCode: string | null): WorkState {
  return state === 'parked' ? state : isWaitingError(errorCode) ? 'waiting' : 'failing'
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

/** The distinct resources of these pieces of work. */
export const resourcesOf = (work: readonly PieceOfWork[]) => [...new Set(work.map(({ resourceId }) => resourceId))]
