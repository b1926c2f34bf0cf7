import { MissingInChart } from './missing-in-chart.ts'

/** The chart has no patient for a PA or BV. Parks with a daily retry. Names the number of matches and no patient data. */
export class PatientNotFound extends MissingInChart {
  readonly code = 'patient_not_found'
}

/** The chart has several patients for one number. Parks with a daily retry. Names the number of matches and no patient data. */
export class PatientAmbiguous extends MissingInChart {
  readonly code = 'patient_ambiguous'
}
