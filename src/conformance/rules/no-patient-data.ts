import { passUnless, type Rule } from './rule.ts'

/** No patient data and no secret in log, output, metrics, status and errors. */
export const noPatientData: Rule = {
  id: 'no-patient-data',
  title: 'No patient data in log, errors and metrics',
  judge: ({ leaks }) => passUnless(leaks.map(({ place, name }) => `the ${name} is in: ${place}`)),
}
