import type { Pharmacy, PriorAuthorization } from '#pawl'
import type { ContractSubject } from '#pawl/testing'
import { canaries } from './canaries.ts'
import { samplePatient, samplePriorAuthorization, sampleTransfer } from './samples.ts'

const patient = {
  ...samplePatient,
  first_name: canaries.firstName,
  last_name: canaries.lastName,
  date_of_birth: canaries.birthDate,
  phone: canaries.phone,
}

const transferred = (id: string, status: string) =>
  samplePriorAuthorization({ id, status: 'completed', patient, prescription_transfer: sampleTransfer({ status }) })

/** The contract's subject for every pharmacy, apart from its start. */
export const transferSubject: Omit<ContractSubject<Pharmacy, PriorAuthorization>, 'start'> = {
  states: (id) => [transferred(id, 'in_progress'), transferred(id, 'completed')],
  write: (pharmacy, priorAuthorization) => pharmacy.putPrescriptionTransfer(priorAuthorization),
  patientData: [canaries.firstName, canaries.lastName, canaries.birthDate, canaries.phone],
}
