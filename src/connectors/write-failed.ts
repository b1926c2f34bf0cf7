import { PawlError, type Retry } from '../base/errors.ts'
import { adviceFor } from './advice.ts'

/** Argument of `WriteFailed`. */
export interface WriteFailure {
  /** Operators' name of the system, such as `support desk`. */
  system: string
  /** The written item, such as `case`. */
  what: string
  /** Id of the service's resource. */
  resourceId: string
  /** The reason with its verdict: a failed `Answer`, or an object of that shape. `reason` must not quote the system. */
  failure: { reason: string; retry: Retry; isOutage: boolean; mayBeOutage?: boolean; request?: string | undefined }
}

/** A system did not take a write. Names system, resource id and verdict; never quotes the system, whose words may hold patient data. */
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
