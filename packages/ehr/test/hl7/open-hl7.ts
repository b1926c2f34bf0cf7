import { ehrFrom, ehrSettings } from '../../src/index.ts'
import { createHl7Ehr, type Hl7EhrOptions } from '../../src/hl7/hl7-ehr.ts'
import type { MdmOptions } from '../../src/hl7/mdm-message.ts'
import { numberInRequest } from '../../src/hl7/patient-number.ts'
import type { Ehr } from '../../src/ehr.ts'
import { inspectConfig } from '../../../../src/settings/read-config.ts'
import { everythingFiled } from '../charts/connect.ts'
import type { System } from '../../../connector/src/system.ts'

/** Options shared by the messages of the tests. */
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
    filing: everythingFiled,
    ...different,
  })
}

/** A gateway's settings with these, and their faults. */
export function inspectSettings(settings: Record<string, string>) {
  const gateway = {
    WEBHOOK_SECRETS: 'a-secret-of-more-than-thirty-two-characters',
    API_BASE_URL: 'https://api.example',
    API_TOKEN: 'token',
    SEALING: 'off',
  }
  return inspectConfig({ ...gateway, ...settings }, ehrSettings)
}

/** As tests of how documents are sent want it. */
const everythingSent = { EHR_FILED_STATES: 'every', EHR_FILED_BENEFITS: 'every', EHR_FILED_MESSAGES: 'every' }

/** The chart that these settings name. Every document is sent, unless they choose otherwise. */
export function openBySettings(settings: Record<string, string>): System<Ehr> {
  const { config, faults } = inspectSettings({ ...everythingSent, ...settings })
  if (faults.length > 0) throw new Error(faults.join('\n'))
  // The compiler cannot see that these values were parsed by `ehrSettings`.
  return ehrFrom(config.settings as never)
}
