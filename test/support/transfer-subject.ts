import type { PriorAuthorization } from '#pawl'
import type { Pharmacy } from '@pawl/pharmacy'
import type { ContractSubject } from '#pawl/testing'
import { canaryPatient } from './canaries.ts'
import { samplePriorAuthorization, sampleTransfer } from './samples.ts'

const transferred = (id: string, status: string) =>
  samplePriorAuthorization({
    id,
    status: 'completed',
    patient: canaryPatient,
    prescription_transfer: sampleTransfer({ status }),
  })

/** The contract's subject for every pharmacy, apart from its start. */
export const transferSubject: Omit<ContractSubject<Pharmacy, PriorAuthorization>, 'start'> = {
  states: (id) => [transferred(id, 'in_progress'), transferred(id, 'completed')],
  write: (pharmacy, priorAuthorization) => pharmacy.putPrescriptionTransfer(priorAuthorization),
  patientData: [canaryPatient.first_name, canaryPatient.last_name, canaryPatient.date_of_birth, canaryPatient.phone],
}
