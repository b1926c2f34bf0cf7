import type { Patient } from 'pawl-client/schemas/people'
import { PatientNotFound } from '../patient-not-found.ts'
import type { NumberField } from './settings.ts'

/** The patient's number as the request has it. Throws `PatientNotFound`. */
export function numberInRequest(patient: Patient | undefined, field: NumberField): string {
  const number = patient?.[field]?.trim()
  if (number !== undefined && number !== '') return number
  throw new PatientNotFound(
    `The service's resource has no patient.${field}, by which HL7_PATIENT_FIELD=${field} names the patient to the EHR: send it with the request, or set the other field.`,
  )
}
