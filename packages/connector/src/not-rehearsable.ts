import { PawlError } from '@pawl/base/errors'

/** A rehearsal cannot continue without an answer of another system, since it sends nothing. */
export class NotRehearsable extends PawlError {
  readonly code = 'not_rehearsable'
}
