import { adviceFor } from '@pawl/connector/advice'
import { RefusedWrite, type RefusedWriteFacts } from '@pawl/connector/refused-write'

/** The pharmacy refused or missed a notice. Names the id of the PA and the verdict. */
export class PharmacyWriteFailed extends RefusedWrite {
  readonly code = 'pharmacy_write_failed'
  readonly system = 'pharmacy'
  readonly resourceType = 'prescription_transfer.updated'

  constructor(failure: RefusedWriteFacts & { reason: string }) {
    const { resourceId, reason, retry } = failure
    super(
      `The pharmacy did not take the prescription transfer of ${resourceId}: ${reason}. ${adviceFor(retry)}`,
      failure,
    )
  }
}
