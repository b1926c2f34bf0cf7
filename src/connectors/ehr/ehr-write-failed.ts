import { PawlError, type Retry } from '../../base/errors.ts'
import { adviceFor } from '../advice.ts'

/** What `EhrWriteFailed` is told. */
export interface EhrFailure {
  resourceType: string
  /** Of the service's resource. */
  resourceId: string
  /** What was tried, for example `search Task by identifier`. */
  action?: string | undefined
  reason: string
  /** HTTP status, where something was answered. */
  status?: number | undefined
  /** It was a search: no content can be at fault. */
  isSearch?: boolean
  /** The chart says that there is no such resource (any more). */
  isGone?: boolean
  retry: Retry
  isOutage: boolean
  mayBeOutage?: boolean
  /** The kind of request, such as `PUT /Task`. */
  request?: string | undefined
  /** What mends it, where that is known better than by the verdict. */
  advice?: string | undefined
}

/** The chart did not take a resource. Names what was tried, its type, the id of the service's resource and the verdict; never what the EHR said, which may quote patient data. */
export class EhrWriteFailed extends PawlError {
  readonly code = 'ehr_write_failed'
  readonly system = 'ehr'
  readonly resourceType: string
  readonly resourceId: string
  /** What was tried and what came of it. */
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
