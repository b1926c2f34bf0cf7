import { PawlError } from '../base/errors.ts'

/** The process is going down: the work is given back as it was, and costs no attempt. */
export class Stopping extends PawlError {
  readonly code = 'stopping'
  override readonly retry = 'backoff'
}
