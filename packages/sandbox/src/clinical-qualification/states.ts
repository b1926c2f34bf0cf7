import { minutes, type Row } from '../platform/machine.ts'

/** The resource shows no status (specification, States). These two decide when its results appear. */
export type ClinicalQualificationState = 'pending' | 'evaluated'

export const clinicalQualificationRows: readonly Row<ClinicalQualificationState, never>[] = [
  { from: 'pending', to: 'evaluated', after: minutes(5, 60) },
  // A control may set other results.
  { from: 'evaluated', to: 'evaluated' },
]
