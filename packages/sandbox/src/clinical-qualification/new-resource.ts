import type {
  ClinicalQualificationRequest,
  ClinicalQualificationResource,
} from 'pawl-client/schemas/clinical-qualification'
import { withCountry } from '../files/country.ts'
import { insuranceRecords } from '../files/insurance-records.ts'
import type { ReadFile } from '../files/request-files.ts'
import type { Random } from '../platform/random.ts'
import { testValues } from '../platform/test-values.ts'

/** The resource of a new clinical qualification. */
export function newClinicalQualification(
  id: string,
  request: ClinicalQualificationRequest,
  random: Random,
  cards: readonly ReadFile[] = [],
): ClinicalQualificationResource {
  const { diagnoses = [], evidence = [], questionnaires = [], visit_notes = [] } = request
  return {
    ...request,
    diagnoses,
    evidence,
    questionnaires,
    visit_notes,
    patient: withCountry(request.patient),
    provider: withCountry(request.provider),
    id,
    object: 'clinical_qualification',
    insurance:
      request.insurance === undefined ? [] : insuranceRecords({ insurance: request.insurance }, id, random, cards),
    results: request.drugs.map((drug) => ({ drug, status: 'pending', unqualified_reasons: [] })),
  }
}

/** Fills in the result of each drug: any clinical content qualifies, unless the drug's name is a test value for another result. */
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
