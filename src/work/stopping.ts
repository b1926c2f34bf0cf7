import { PawlError } from '@pawl/base/errors'

/** The process is stopping: the work is released unchanged and costs no attempt. */
export class Stopping extends PawlError {
  readonly code = 'stopping'
  override readonly retry = 'backoff'
}
