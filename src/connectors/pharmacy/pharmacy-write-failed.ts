import { PawlError, type Retry } from '../../base/errors.ts'
import { adviceFor } from '../advice.ts'

/** The pharmacy did not take a notice. Names the id of the PA and the verdict; never quotes the pharmacy, whose words may hold patient data. */
export class PharmacyWriteFailed extends PawlError {
  readonly code = 'pharmacy_write_failed'
  readonly system = 'pharmacy'
  readonly resourceType = 'prescription_transfer.updated'
  readonly resourceId: string
  override readonly retry: Retry
  override readonly isOutage: boolean
  override readonly mayBeOutage: boolean
  override readonly request: string | undefined

  constructor(failure: {
    resourceId: string
    reason: string
    retry: Retry
    isOutage: boolean
    mayBeOutage?: boolean
    request?: string | undefined
  }) {
    const { resourceId, reason, retry } = failure
    super(`The pharmacy did not take the prescription transfer of ${resourceId}: ${reason}. ${adviceFor(retry)}`)
    this.resourceId = resourceId
    this.retry = retry
    this.isOutage = failure.isOutage
    this.mayBeOutage = failure.mayBeOutage ?? false
    this.request = failure.request
  }
}
