import { PawlError } from '../base/errors.ts'

/** In a rehearsal, which sends nothing, only another system could tell how the run goes on. */
export class NotRehearsable extends PawlError {
  readonly code = 'not_rehearsable'
}
