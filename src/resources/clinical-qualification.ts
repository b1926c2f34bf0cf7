import { z } from 'zod'
import { open, openEnum, openList } from './open.ts'
import { diagnoses, insuranceRecords, Medication, Patient, Provider } from './shared.ts'

/** A clinical qualification as GET returns it, one result a drug (specification, Clinical qualification resource). */
export const ClinicalQualification = z.looseObject({
  id: z.string().min(1),
  object: open(z.string()),
  patient: open(Patient),
  provider: open(Provider),
  diagnoses,
  insurance: insuranceRecords,
  drugs: openList(Medication),
  results: openList(
    z.looseObject({
      drug: open(Medication),
      status: open(openEnum(['pending', 'qualified', 'unqualified', 'unknown'])),
      unqualified_reasons: openList(z.looseObject({ description: open(z.string()) })),
    }),
  ),
})
export type ClinicalQualification = z.infer<typeof ClinicalQualification>
