import { PatientEnrollmentRequest } from '../schemas/patient-enrollment.ts'
import { type CallOptions, checkedBody } from './request.ts'
import type { Send } from './send.ts'

/** The endpoint with its own host (specification, POST /patient-enrollment). */
export interface PatientEnrollmentCalls {
  /** POST /patient-enrollment on `enrollmentBaseUrl`; its unspecified response is returned unchanged. Throws RequestInvalid before sending, ApiOutcomeUnknown when it may have arrived, TypeError without `enrollmentBaseUrl`. */
  enrollPatient(request: PatientEnrollmentRequest, options?: CallOptions): Promise<unknown>
}

/** Makes the enrollment calls. */
export function createPatientEnrollmentCalls(send: Send, baseUrl: string | undefined): PatientEnrollmentCalls {
  return {
    async enrollPatient(request, options) {
      if (baseUrl === undefined)
        throw new TypeError('enrollPatient needs ENROLLMENT_BASE_URL, or the enrollmentBaseUrl of createApi')
      const place = { method: 'POST', route: '/patient-enrollment' } as const
      const body = checkedBody(place, PatientEnrollmentRequest, request)
      return send({ ...place, baseUrl, body, repeatable: false, mayBeEmpty: true, options })
    },
  }
}
