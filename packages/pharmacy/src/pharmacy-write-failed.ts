import { adviceFor } from '@pawl/connector/advice'
import { RefusedWrite, type RefusedWriteFacts } from '@pawl/connector/refused-write'

interface PharmacyFailure extends RefusedWriteFacts {
  reason: string
  /** Names the pharmacy among several. */
  route?: string | undefined
}

/** The kind of a request to one of several pharmacies. */
export function requestAt(request: string, route: string): string {
  return `${request} to ${route}`
}

/** The pharmacy refused or missed a notice. Names the id of the PA and the verdict. */
export class PharmacyWriteFailed extends RefusedWrite {
  readonly code = 'pharmacy_write_failed'
  readonly system = 'pharmacy'
  readonly resourceType = 'prescription_transfer.updated'

  override readonly isOfRoute: boolean
  readonly #failure: PharmacyFailure

  constructor(failure: PharmacyFailure) {
    const { resourceId, reason, retry, route } = failure
    const pharmacy = route === undefined ? 'The pharmacy' : `The pharmacy of ${route}`
    super(`${pharmacy} did not take the prescription transfer of ${resourceId}: ${reason}. ${adviceFor(retry)}`, {
      ...failure,
      reason: route === undefined ? reason : `${route}: ${reason}`,
    })
    this.isOfRoute = route !== undefined
    this.#failure = failure
  }

  /** The same failure, of one of several pharmacies. */
  at(route: string): PharmacyWriteFailed {
    const { request } = this
    return new PharmacyWriteFailed({
      ...this.#failure,
      route,
      request: request === undefined ? undefined : requestAt(request, route),
    })
  }
}
