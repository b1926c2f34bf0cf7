import { PawlError } from '../../base/errors.ts'

const dayMs = 86_400_000

/** The chart has no patient for a PA or BV. Parks with a daily retry. Names the number of matches and no patient data. */
export class PatientNotFound extends PawlError {
  readonly code = 'patient_not_found'
  readonly system = 'ehr'
  override readonly parkedAgainMs = dayMs
}

/** The chart has several patients for one number. Parks with a daily retry. Names the number of matches and no patient data. */
export class PatientAmbiguous extends PawlError {
  readonly code = 'patient_ambiguous'
  readonly system = 'ehr'
  override readonly parkedAgainMs = dayMs
}
