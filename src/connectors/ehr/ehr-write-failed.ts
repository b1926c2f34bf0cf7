import { PawlError, type Retry } from '../../errors.ts'
import { adviceFor } from '../advice.ts'

/** The chart did not take a resource. Names its type, the id of the service's resource and the verdict; never what the EHR said, which may quote patient data. */
export class EhrWriteFailed extends PawlError {
  readonly code = 'ehr_write_failed'
  readonly system = 'ehr'
  readonly resourceType: string
  readonly resourceId: string
  override readonly retry: Retry
  override readonly isOutage: boolean
  override readonly mayBeOutage: boolean

  constructor(failure: {
    resourceType: string
    resourceId: string
    reason: string
    retry: Retry
    isOutage: boolean
    mayBeOutage?: boolean
  }) {
    const { resourceType, resourceId, reason, retry } = failure
    super(`The EHR did not take the ${resourceType} of ${resourceId}: ${reason}. ${adviceFor(retry)}`)
    this.resourceType = resourceType
    this.resourceId = resourceId
    this.retry = retry
    this.isOutage = failure.isOutage
    this.mayBeOutage = failure.mayBeOutage ?? false
  }
}
