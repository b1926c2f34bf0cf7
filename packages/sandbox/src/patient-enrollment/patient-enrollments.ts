import type { PatientEnrollmentRequest } from 'pawl-client/schemas/patient-enrollment'
import type { Organization } from '../access/organizations.ts'
import type { Platform } from '../platform.ts'
import type { StoredRecord } from '../platform/store.ts'
import { refuseByTestValue } from '../platform/test-values.ts'

interface PatientEnrollmentRecord extends StoredRecord {
  kind: 'patient_enrollment'
  resource: PatientEnrollmentRequest
}

/** Accepts and stores enrollments; only their shape is documented (specification, Endpoint rules). */
export interface PatientEnrollments {
  create(organization: Organization, request: PatientEnrollmentRequest): PatientEnrollmentRecord
  /** All enrollments, with the ids from the answers to their creation. */
  list(): (PatientEnrollmentRequest & { id: string })[]
}

export function createPatientEnrollments({ store, random }: Platform): PatientEnrollments {
  const shelf = store.shelf<PatientEnrollmentRecord>('patient_enrollment')
  return {
    list: () => shelf.list().map(({ id, resource }) => ({ id, ...resource })),
    create: (organization, request) => {
      refuseByTestValue('POST /enrollment/patient-enrollment', request.patient.metadata?.patient_id)
      const id = `enrollment_${random.letters(20)}`
      const record = { kind: 'patient_enrollment', id, organization: organization.id, resource: request } as const
      shelf.save(record)
      return record
    },
  }
}
