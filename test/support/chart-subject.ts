import type { PriorAuthorization } from '#pawl'
import type { Ehr } from '@pawl/ehr'
import type { ContractSubject } from '#pawl/testing'
import { canaryPatient } from './canaries.ts'
import { samplePriorAuthorization } from './samples.ts'

/** The contract's subject for every chart, apart from its start. */
export const chartSubject: Omit<ContractSubject<Ehr, PriorAuthorization>, 'start'> = {
  states: (id) => [
    samplePriorAuthorization({ id, patient: canaryPatient, status: 'processing' }),
    samplePriorAuthorization({
      id,
      patient: canaryPatient,
      status: 'completed',
      outcome: { result: 'Denied', detail_code: 'plan_exclusion' },
    }),
  ],
  write: (ehr, state) => ehr.putPriorAuthorization(state),
  patientData: [canaryPatient.first_name, canaryPatient.last_name, canaryPatient.date_of_birth],
}
