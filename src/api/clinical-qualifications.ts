import { ClinicalQualification } from '../resources/clinical-qualification.ts'
import type { Caller } from './caller.ts'
import { readData } from './data.ts'
import type { CallOptions } from './request.ts'

/** The endpoints under `/clinical-qualification`. */
export interface ClinicalQualificationCalls {
  /** GET /clinical-qualification/{id}. Throws ApiNotFound. */
  getClinicalQualification(id: string, options?: CallOptions): Promise<ClinicalQualification>
}

/** Makes the clinical qualification endpoints upon a caller. */
export function createClinicalQualificationCalls(call: Caller): ClinicalQualificationCalls {
  const route = '/clinical-qualification/{id}'
  return {
    getClinicalQualification: (id, options) =>
      readData(call, { method: 'GET', route, id, repeatable: true, options }, ClinicalQualification),
  }
}
