import { PawlError } from '@pawl/base/errors'

/** The development environment cannot start, or does not run; the message names the remedy. */
export class DevRefused extends PawlError {
  readonly code = 'dev_refused'
}
