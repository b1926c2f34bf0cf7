import type { ClinicalQualificationRequest } from '../../resources/requests/clinical-qualification.ts'
import { type InsuranceRecord, insuranceRecords } from '../files/insurance-records.ts'
import type { Random } from '../platform/random.ts'

type Request = ClinicalQualificationRequest

/** A clinical qualification as GET returns it (specification, Clinical qualification resource). */
export interface ClinicalQualificationResource extends Omit<Request, 'insurance'> {
  id: string
  object: 'clinical_qualification'
  insurance: InsuranceRecord[]
  results: {
    drug: Request['drugs'][number]
    status: 'pending' | 'qualified' | 'unqualified' | 'unknown'
    unqualified_reasons: { description: string }[]
  }[]
}

/** The resource of a clinical qualification that was just accepted. */
export function newClinicalQualification(id: string, request: Request, random: Random): ClinicalQualificationResource {
  return {
    ...request,
    patient: { ...request.patient, address: { country: 'US', ...request.patient.address } },
    id,
    object: 'clinical_qualification',
    insurance: request.insurance === undefined ? [] : insuranceRecords({ insurance: request.insurance }, id, random),
    results: request.drugs.map((drug) => ({ drug, status: 'pending', unqualified_reasons: [] })),
  }
}

/** Fills in the results: whoever sent something to read qualifies. */
export function showQualification({ results }: ClinicalQualificationResource, isEvidenced: boolean): void {
  for (const result of results) {
    result.status = isEvidenced ? 'qualified' : 'unqualified'
    result.unqualified_reasons = isEvidenced
      ? []
      : [{ description: 'No evidence, questionnaire or visit note was supplied.' }]
  }
}
