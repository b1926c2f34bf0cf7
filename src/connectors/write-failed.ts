import { PawlError, type Retry } from '../base/errors.ts'
import { adviceFor } from './advice.ts'

/** What `WriteFailed` is told. */
export interface WriteFailure {
  /** The system as operators call it, such as `support desk`. */
  system: string
  /** What it was to take, such as `case`. */
  what: string
  /** Of the service's resource. */
  resourceId: string
  /** Why it did not, with the verdict: an `Answer` that is not ok, or the like of it. Of `reason`, no word may come from the system. */
  failure: { reason: string; retry: Retry; isOutage: boolean; mayBeOutage?: boolean; request?: string | undefined }
}

/** A system did not take what it was sent. Names system, resource id and verdict; never what the system said, which may quote patient data. */
export class WriteFailed extends PawlError {
  readonly code = 'write_failed'
  readonly resourceId: string
  override readonly retry: Retry
  override readonly isOutage: boolean
  override readonly mayBeOutage: boolean
  override readonly request: string | undefined

  constructor({ system, what, resourceId, failure }: WriteFailure) {
    const { reason, retry, isOutage, mayBeOutage = false } = failure
    super(`The ${system} did not take the ${what} of ${resourceId}: ${reason}. ${adviceFor(retry)}`)
    this.resourceId = resourceId
    this.retry = retry
    this.isOutage = isOutage
    this.mayBeOutage = mayBeOutage
    this.request = failure.request
  }
}
