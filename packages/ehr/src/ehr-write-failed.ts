import { adviceFor } from '@pawl/connector/advice'
import { RefusedWrite, type RefusedWriteFacts } from '@pawl/connector/refused-write'

export interface EhrFailure extends RefusedWriteFacts {
  resourceType: string
  /** The attempted action, for example `search Task by identifier`. */
  action?: string | undefined
  reason: string
  /** It was a search, so no content can be at fault. */
  isSearch?: boolean
  /** The chart has no such resource (any more). */
  isGone?: boolean
  /** It was addressed by an identifier, which none, one or several resources may carry. */
  conditional?: 'create' | 'update' | undefined
  /** The remedy, where it is known more precisely than from the verdict. */
  advice?: string | undefined
}

/** The chart did not take a resource. Names the action, the type, the id of the service's resource and the verdict. */
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
