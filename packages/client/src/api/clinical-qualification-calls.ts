import type { Created } from '../schemas/answers.ts'
import { ClinicalQualification, ClinicalQualificationRequest } from '../schemas/clinical-qualification.ts'
import { create } from './create.ts'
import { readData } from './data.ts'
import { type CallOptions, checkedBody } from './request.ts'
import type { Send } from './send.ts'

/** The endpoints under `/clinical-qualification` (specification, Endpoint rules). */
export interface ClinicalQualificationCalls {
  /** POST /clinical-qualification. Throws RequestInvalid before sending, ApiRefused, and ApiOutcomeUnknown when it may or may not exist. */
  createClinicalQualification(request: ClinicalQualificationRequest, options?: CallOptions): Promise<Created>
  /** GET /clinical-qualification/{id}. Throws ApiNotFound. */
  getClinicalQualification(id: string, options?: CallOptions): Promise<ClinicalQualification>
}

const creations = '/clinical-qualification'

/** Makes the clinical qualification calls. */
export function createClinicalQualificationCalls(send: Send): ClinicalQualificationCalls {
  return {
    async createClinicalQualification(request, options) {
      const body = checkedBody({ method: 'POST', route: creations }, ClinicalQualificationRequest, request)
      return create(send, { route: creations, body, options })
    },
    getClinicalQualification(id, options) {
      const route = `${creations}/{id}`
      return readData(send, { method: 'GET', route, id, repeatable: true, options }, ClinicalQualification)
    },
  }
}
