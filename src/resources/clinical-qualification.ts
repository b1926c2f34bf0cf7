import { z } from 'zod'
import { clinicalContent } from './clinical-content.ts'
import { lenient, lenientEnum, lenientList } from './lenient.ts'
import { diagnoses, insuranceRecords, Medication, Patient, Provider } from './shared.ts'

/** A clinical qualification as GET returns it, one result per drug (specification, Clinical qualification resource). */
export const ClinicalQualification = z.looseObject({
  id: z.string().min(1),
  object: lenient(z.string()),
  patient: lenient(Patient),
  provider: lenient(Provider),
  diagnoses,
  insurance: insuranceRecords,
  ...clinicalContent,
  drugs: lenientList(Medication),
  results: lenientList(
    z.looseObject({
      drug: lenient(Medication),
      status: lenient(lenientEnum(['pending', 'qualified', 'unqualified', 'unknown'])),
      unqualified_reasons: lenientList(z.looseObject({ description: lenient(z.string()) })),
    }),
  ),
})
export type ClinicalQualification = z.infer<typeof ClinicalQualification>
