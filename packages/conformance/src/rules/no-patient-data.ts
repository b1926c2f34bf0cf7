import { passUnless, type Rule } from './rule.ts'

/** Log, output, metrics, status and errors hold no patient data and no secret. */
export const noPatientData: Rule = {
  id: 'no-patient-data',
  title: 'No patient data in log, errors and metrics',
  judge: ({ leaks }) => passUnless(leaks.map(({ place, name }) => `the ${name} is in: ${place}`)),
}
