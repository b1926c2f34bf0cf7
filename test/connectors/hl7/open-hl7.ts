import { createHl7Ehr, type Hl7EhrOptions } from '../../../src/connectors/ehr/hl7/hl7-ehr.ts'
import type { MdmOptions } from '../../../src/connectors/ehr/hl7/mdm-message.ts'
import { numberInRequest } from '../../../src/connectors/ehr/hl7/patient-number.ts'
import type { Ehr } from '../../../src/connectors/ehr/ehr.ts'
import type { System } from '../../../src/systems/system.ts'

/** What messages of the tests have in common. */
export const mdm: MdmOptions = {
  version: '2.5.1',
  charset: 'UNICODE UTF-8',
  sendingApplication: 'PAWL',
  sendingFacility: 'CLINIC',
  receivingApplication: 'EHR^2.999.1^ISO',
  processingId: 'T',
  isEnhanced: false,
  assigningAuthority: 'CLINIC^2.999.2^ISO',
  patientNumberType: 'MR',
  patientClass: 'O',
  settledStatus: 'DO',
}

/** The connector to a listener on this machine, with what a test wants different. */
export function openHl7(port: number, different: Partial<Hl7EhrOptions> = {}): System<Ehr> {
  return createHl7Ehr({
    host: '127.0.0.1',
    port,
    mdm,
    patients: {
      keyOf: (patient) => numberInRequest(patient, 'internal_id'),
      numberOf: async (patient) => numberInRequest(patient, 'internal_id'),
    },
    content: 'TX',
    documentTypes: ['CN'],
    replacesByT10: true,
    hasStaffTasks: true,
    ...different,
  })
}
