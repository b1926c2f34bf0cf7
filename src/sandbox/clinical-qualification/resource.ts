import { z } from 'zod'
import { ClinicalQualificationRequest } from '../../resources/requests/clinical-qualification.ts'
import { withCountry } from '../files/country.ts'
import { InsuranceRecord, insuranceRecords } from '../files/insurance-records.ts'
import type { ReadFile } from '../files/request-files.ts'
import type { Random } from '../platform/random.ts'
import { testValues } from '../platform/test-values.ts'

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

/** The resource of a clinical qualification that was just created. */
export function newClinicalQualification(
  id: string,
  request: ClinicalQualificationRequest,
  random: Random,
  cards: readonly ReadFile[] = [],
): ClinicalQualificationResource {
  return {
    ...request,
    patient: withCountry(request.patient),
    provider: withCountry(request.provider),
    id,
    object: 'clinical_qualification',
    insurance:
      request.insurance === undefined ? [] : insuranceRecords({ insurance: request.insurance }, id, random, cards),
    results: request.drugs.map((drug) => ({ drug, status: 'pending', unqualified_reasons: [] })),
  }
}

/** Fills in the results, drug by drug: a request with any clinical content qualifies, unless the name of the drug asks for another result. */
export function showQualification({ results }: ClinicalQualificationResource, isEvidenced: boolean): void {
  for (const result of results) {
    result.status = statusOf(result.drug.drug_name, isEvidenced)
    if (result.status === 'unqualified')
      result.unqualified_reasons = [
        { description: isEvidenced ? 'The criteria of the plan are not met.' : unsupported },
      ]
  }
}

const unsupported = 'No evidence, questionnaire or visit note was supplied.'

function statusOf(drugName: string, isEvidenced: boolean) {
  if (drugName === testValues.unqualified) return 'unqualified'
  if (drugName === testValues.unknownQualification) return 'unknown'
  return isEvidenced ? 'qualified' : 'unqualified'
}
