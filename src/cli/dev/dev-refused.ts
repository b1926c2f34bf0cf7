import { PawlError } from '../../base/errors.ts'

/** The development environment cannot start, or is not there; the message says what to do. */
export class DevRefused extends PawlError {
  readonly code = 'dev_refused'
}
