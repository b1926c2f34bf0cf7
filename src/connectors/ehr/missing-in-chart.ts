import { PawlError } from '../../base/errors.ts'

const dayMs = 86_400_000

/** Something that people can enter in the chart is missing there. Parks with a daily retry. */
export abstract class MissingInChart extends PawlError {
  readonly system = 'ehr'
  override readonly parkedAgainMs = dayMs
}
