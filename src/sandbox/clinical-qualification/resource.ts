import { z } from 'zod'
import { ClinicalQualificationRequest } from '../../resources/requests/clinical-qualification.ts'
import type { ClinicalQualificationState } from './states.ts'
import { withCountry } from '../files/country.ts'
import { InsuranceRecord, insuranceRecords } from '../files/insurance-records.ts'
import type { Random } from '../platform/random.ts'
import type { ResourceRecord } from '../platform/store.ts'

/** A clinical qualification as GET returns it (specification, Clinical qualification resource). */
export const ClinicalQualificationResource = ClinicalQualificationRequest.extend({
  id: z.string(),
  object: z.literal('clinical_qualification'),
  insurance: z.array(InsuranceRecord),
  results: z.array(
    z.strictObject({
      drug: ClinicalQualificationRequest.shape.drugs.element,
      status: z.enum(['pending', 'qualified', 'unqualified', 'unknown']),
      unqualified_reasons: z.array(z.strictObject({ description: z.string() })),
    }),
  ),
})
export type ClinicalQualificationResource = z.infer<typeof ClinicalQualificationResource>

/** What is stored of a clinical qualification. */
export type ClinicalQualificationRecord = ResourceRecord<
  'clinical_qualification',
  ClinicalQualificationResource,
  { isEvidenced: boolean },
  ClinicalQualificationState
>

/** The resource of a clinical qualification that was just created. */
export function newClinicalQualification(
  id: string,
  request: ClinicalQualificationRequest,
  random: Random,
): ClinicalQualificationResource {
  return {
    ...request,
    patient: withCountry(request.patient),
    provider: withCountry(request.provider),
    id,
    object: 'clinical_qualification',
    insurance: request.insurance === undefined ? [] : insuranceRecords({ insurance: request.insurance }, id, random),
    results: request.drugs.map((drug) => ({ drug, status: 'pending', unqualified_reasons: [] })),
  }
}

/** Fills in the results: a request with any clinical content qualifies. */
export function showQualification({ results }: ClinicalQualificationResource, isEvidenced: boolean): void {
  for (const result of results) {
    result.status = isEvidenced ? 'qualified' : 'unqualified'
    result.unqualified_reasons = isEvidenced
      ? []
      : [{ description: 'No evidence, questionnaire or visit note was supplied.' }]
  }
}
