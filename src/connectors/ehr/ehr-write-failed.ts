import { PawlError, type Retry } from '../../base/errors.ts'
import { adviceFor } from '../advice.ts'

export interface EhrFailure {
  resourceType: string
  /** Id of the service's resource. */
  resourceId: string
  /** The attempted action, for example `search Task by identifier`. */
  action?: string | undefined
  reason: string
  /** HTTP status; absent without an answer. */
  status?: number | undefined
  /** It was a search, so no content can be at fault. */
  isSearch?: boolean
  /** The chart has no such resource (any more). */
  isGone?: boolean
  retry: Retry
  isOutage: boolean
  mayBeOutage?: boolean
  /** The kind of request, such as `PUT /Task`. */
  request?: string | undefined
  /** The remedy, where it is known more precisely than from the verdict. */
  advice?: string | undefined
}

/** The chart did not take a resource. Names the action, the type, the id of the service's resource and the verdict; never quotes the EHR, whose words may hold patient data. */
export class EhrWriteFailed extends PawlError {
  readonly code = 'ehr_write_failed'
  readonly system = 'ehr'
  readonly resourceType: string
  readonly resourceId: string
  /** The action and its result. */
  readonly tried: string
  readonly status: number | undefined
  readonly isSearch: boolean
  readonly isGone: boolean
  override readonly retry: Retry
  override readonly isOutage: boolean
  override readonly mayBeOutage: boolean
  override readonly request: string | undefined

  constructor({ resourceType, resourceId, action, reason, status, advice, ...verdict }: EhrFailure) {
    const tried = action === undefined ? reason : `${action}: ${reason}`
    const what =
      action === undefined
        ? `The EHR did not take the ${resourceType} of ${resourceId}`
        : `pawl could not ${action} in the EHR for ${resourceId}`
    super(`${what}: ${reason}. ${advice ?? adviceFor(verdict.retry)}`)
    this.tried = tried
    this.resourceType = resourceType
    this.resourceId = resourceId
    this.status = status
    this.isSearch = verdict.isSearch ?? false
    this.isGone = verdict.isGone ?? false
    this.retry = verdict.retry
    this.isOutage = verdict.isOutage
    this.mayBeOutage = verdict.mayBeOutage ?? false
    this.request = verdict.request
  }
}
