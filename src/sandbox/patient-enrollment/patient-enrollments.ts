import type { PatientEnrollmentRequest } from '../../resources/requests/patient-enrollment.ts'
import type { Core } from '../core.ts'
import type { Organization } from '../access/organizations.ts'
import type { PatientEnrollmentRecord } from '../records.ts'
import { refuseTriggered } from '../platform/triggers.ts'

/** Patient enrollments: taken and kept, nothing follows (specification, Endpoint rules: shape only). */
export interface PatientEnrollments {
  create(organization: Organization, request: PatientEnrollmentRequest): PatientEnrollmentRecord
}

/** Makes the enrollment part of the sandbox. */
export function createPatientEnrollments({ store, random }: Core): PatientEnrollments {
  return {
    create: (organization, request) => {
      refuseTriggered('POST /enrollment/patient-enrollment', request.patient.metadata?.patient_id)
      const id = `enrollment_${random.letters(20)}`
      const record: PatientEnrollmentRecord = {
        kind: 'patient_enrollment',
        id,
        organization: organization.id,
        resource: request,
      }
      store.save(record)
      return record
    },
  }
}
