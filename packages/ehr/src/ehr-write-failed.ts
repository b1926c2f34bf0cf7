import { adviceFor } from '@pawl/connector/advice'
import { RefusedWrite, type RefusedWriteFacts } from '@pawl/connector/refused-write'

export interface EhrFailure extends RefusedWriteFacts {
  resourceType: string
  /** The attempted action, for example `search Task by identifier`. */
  action?: string | undefined
  reason: string
  /** It was a search, so no content is to blame. */
  isSearch?: boolean
  /** The resource is absent from the chart, or deleted. */
  isGone?: boolean
  /** It was addressed by an identifier, which zero, one or several resources may carry. */
  conditional?: 'create' | 'update' | undefined
  /** The remedy, if it is known more precisely than by the verdict. */
  advice?: string | undefined
}

/** The chart refused or missed a write. Names the action, the type, the id of the service's resource and the verdict. */
export class EhrWriteFailed extends RefusedWrite {
  readonly code = 'ehr_write_failed'
  readonly system = 'ehr'
  readonly resourceType: string
  /** The action and its result. */
  readonly tried: string
  readonly isSearch: boolean
  readonly isGone: boolean
  readonly conditional: 'create' | 'update' | undefined

  constructor(failure: EhrFailure) {
    const { resourceType, resourceId, action, reason, isSearch = false, isGone = false, advice } = failure
    const what =
      action === undefined
        ? `The EHR did not take the ${resourceType} of ${resourceId}`
        : `pawl could not ${action} in the EHR for ${resourceId}`
    super(`${what}: ${reason}. ${advice ?? adviceFor(failure.retry)}`, failure)
    this.tried = action === undefined ? reason : `${action}: ${reason}`
    this.resourceType = resourceType
    this.isSearch = isSearch
    this.isGone = isGone
    this.conditional = failure.conditional
  }
}

/** Whether the chart refused the content or the version of a write: another write may pass after a read. */
export function isContentRefused(error: unknown): error is EhrWriteFailed {
  if (!(error instanceof EhrWriteFailed) || error.httpStatus === undefined) return false
  return (
    (error.httpStatus >= 400 && error.httpStatus < 500 && ![401, 403, 408, 429].includes(error.httpStatus)) ||
    error.httpStatus === 501
  )
}
