import { PawlError } from '@pawl/base/errors'

const dayMs = 86_400_000

/** The chart lacks something that people can enter. Parks with a daily retry. */
export abstract class MissingInChart extends PawlError {
  readonly system = 'ehr'
  override readonly parkedAgainMs = dayMs
  /** The message without the sentence on retries: the missing part, and its remedy. */
  readonly missing: string

  constructor(missing: string) {
    super(`${missing} pawl retries daily and at the next event; "pawl retry" retries now.`)
    this.missing = missing
  }
}
