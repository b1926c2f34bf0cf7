import { createAthenaEhr, type AthenaEhrOptions } from '../../src/athena/athena-ehr.ts'
import { clientId, clientSecret, departmentId, practiceId } from '../../../../test/support/athena-one.ts'
import { everythingFiled } from '../charts/connect.ts'

/** The connector to a stand-in on this machine, with what a test wants different. */
export function openAthena(port: number, different: Partial<AthenaEhrOptions> = {}) {
  return createAthenaEhr({
    baseUrl: `http://127.0.0.1:${port}`,
    practiceId,
    clientId,
    clientSecret,
    departmentId,
    documentClass: 'admin',
    subclasses: ['INSURANCEAPPROVAL', 'letter=SIGNEDFORMSLETTERS'],
    isClosed: false,
    patientField: 'mrn',
    filing: everythingFiled,
    ...different,
  })
}
