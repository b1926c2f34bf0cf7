import { adviceFor } from './advice.ts'
import { RefusedWrite, type RefusedWriteFacts } from './refused-write.ts'

/** Argument of `WriteFailed`. */
export interface WriteFailure {
  /** Operators' name of the system, such as `support desk`. */
  system: string
  /** The written item, such as `case`. */
  what: string
  /** Id of the service's resource. */
  resourceId: string
  /** The reason with its verdict: a failed `Answer`, or an object of that shape. `reason` must not quote the system. */
  failure: Omit<RefusedWriteFacts, 'resourceId'> & { reason: string }
}

/** A system refused or missed a write. Names system, resource id and verdict. */
export class WriteFailed extends RefusedWrite {
  readonly code = 'write_failed'

  constructor({ system, what, resourceId, failure }: WriteFailure) {
    const { reason, retry } = failure
    super(`The ${system} did not take the ${what} of ${resourceId}: ${reason}. ${adviceFor(retry)}`, {
      ...failure,
      resourceId,
    })
  }
}
