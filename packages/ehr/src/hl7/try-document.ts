import { randomBytes } from 'node:crypto'
import type { Clock } from '@pawl/base/clock'
import { PawlError } from '@pawl/base/errors'
import { noRun } from '@pawl/connector/exchange'
import type { CheckReport } from '@pawl/connector/system'
import { noteDocument, type SubjectDocument } from '../documents/subject-document.ts'
import type { Subject } from '../ehr.ts'
import { trialNote } from '../fhir/check/trial-subjects.ts'
import type { FindRun } from '../fhir/chart-patients.ts'
import { forgetful } from '../fhir/forgetful.ts'
import type { MessagePlace } from './tell-document.ts'

/** Sends one message, and resolves once it is acknowledged. */
export type SendDocument = (
  run: FindRun,
  subject: Subject,
  document: SubjectDocument,
  place: MessagePlace,
) => Promise<void>

interface Trial {
  signal: AbortSignal
  patientNumber: string
  /** Time limit of one message, in milliseconds. */
  timeoutMs: number
  /** Whether staff tasks become documents, which must be cancellable. */
  hasStaffTasks: boolean
  clock: Clock
}

/** Sends a document for the test patient, then cancels it, and reports the acknowledgements. */
export async function tryDocument(
  send: SendDocument,
  { signal, patientNumber, timeoutMs, hasStaffTasks, clock }: Trial,
): Promise<CheckReport> {
  const run: FindRun = { resourceId: 'the test patient', ...forgetful, ...noRun(signal, timeoutMs) }
  const patient = { internal_id: patientNumber, mrn: patientNumber, first_name: 'Test', last_name: 'Patient' }
  const subject: Subject = { id: 'pa_req_check', object: 'prior_authorization', url: '', status: 'completed', patient }
  const document = noteDocument(subject, trialNote)
  const number = newId()
  /** Resolves with the refusal, if any. */
  const tell = async (event: 'T02' | 'T11'): Promise<string | undefined> => {
    const place = { event, number, parent: undefined, controlId: newId(), at: clock.now(), isRepeated: false }
    try {
      await send(run, subject, document, place)
      return undefined
    } catch (error) {
      if (error instanceof PawlError) return error.message
      throw error
    }
  }
  const refused = await tell('T02')
  if (refused !== undefined)
    return { ok: false, findings: [`A document for the test patient was not taken: ${refused}`] }
  const taken = `The listener acknowledged a document for the test patient (MDM^T02, number ${number}): it speaks HL7 and takes documents. Look in the chart whether it shows them.`
  const staying = await tell('T11')
  if (staying === undefined)
    return { ok: true, findings: [taken, 'It acknowledged the end of the document (MDM^T11).'] }
  const stays = `The document ${number} stays: its end was not taken (${staying}). Delete it by hand${hasStaffTasks ? ', and set HL7_STAFF_TASKS=none' : ''}.`
  return { ok: !hasStaffTasks, findings: [taken, stays], faults: hasStaffTasks ? [stays] : [] }
}

function newId(): string {
  return randomBytes(8).toString('hex').toUpperCase()
}
