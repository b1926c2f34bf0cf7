import { type Clock, systemClock } from '@pawl/base/clock'
import type { Patient } from 'pawl-client/schemas/people'
import type { CheckReport, CheckSample, RunContext, System } from '@pawl/connector/system'
import { documentEhr } from '../documents/document-ehr.ts'
import { codeOf } from '../documents/document-kinds.ts'
import { identityOf, type SubjectDocument } from '../documents/subject-document.ts'
import type { Ehr, Subject } from '../ehr.ts'
import { type ChosenFiling, filingFor } from '../filing.ts'
import type { FindRun } from '../fhir/chart-patients.ts'
import { createPdfWriter } from '../narrative/pdf-writer.ts'
import { createOneAtATime } from '@pawl/connector/one-at-a-time'
import { toDateTime } from '../primitives.ts'
import { isShown } from '../shown-types.ts'
import { type Acknowledgement, isAccepted, isDuplicate, readAcknowledgement } from './acknowledgement.ts'
import { contentOf } from './document-content.ts'
import { encodeText } from './fit-text.ts'
import { type MdmOptions, writeMdm } from './mdm-message.ts'
import { createMllpConnection, type MllpTarget } from './mllp-connection.ts'
import { failureOf, refusalOf } from './hl7-failures.ts'
import { MllpFailed } from './mllp-failed.ts'
import type { Content } from './settings.ts'
import { type MessagePlace, tellDocument } from './tell-document.ts'
import { tryDocument } from './try-document.ts'

/** The numbers that identify a patient to the listener. */
export interface PatientNumbers {
  /** The key that tells patients in requests apart. Throws `PatientNotFound`. */
  keyOf(this: void, patient: Patient | undefined): string
  /** The number in PID-3. Throws `PatientNotFound`, `PatientAmbiguous` and `EhrWriteFailed`. */
  numberOf(this: void, patient: Patient | undefined, run: FindRun): Promise<string>
  /** Findings on where the numbers come from. */
  check?(this: void, signal: AbortSignal, sample?: CheckSample): Promise<CheckReport>
}

export interface Hl7EhrOptions extends MllpTarget {
  mdm: MdmOptions
  patients: PatientNumbers
  content: Content
  /** As HL7_DOCUMENT_TYPE. */
  documentTypes: readonly string[]
  /** Whether a changed document gets a number of its own, by T10; otherwise it keeps the first one's, by T02. */
  replacesByT10: boolean
  /** Whether staff tasks become documents. */
  hasStaffTasks: boolean
  /** What is sent. Default: results, letters and faxes. */
  filing?: ChosenFiling | undefined
  /** Time limit of one message, in milliseconds. Default 15,000. */
  timeoutMs?: number
  clock?: Clock
}

/**
 * A chart that takes documents as HL7 v2 messages (MDM) over MLLP. A document counts as written once the listener acknowledged it, by AA or CA with the
 * message's own control id. Methods throw `EhrWriteFailed` with its retry verdict, and `PatientNotFound`.
 */
export function createHl7Ehr(options: Hl7EhrOptions): System<Ehr> {
  const {
    mdm,
    patients,
    content,
    documentTypes,
    replacesByT10,
    hasStaffTasks,
    clock = systemClock,
    timeoutMs = 15_000,
  } = options
  // A replacement is one more document in the list of many a receiver.
  const filing = filingFor(options.filing ?? {}, { updatesDocuments: false, takesMessages: false })
  const connection = createMllpConnection(options)
  const oneAtATime = createOneAtATime()
  const pdfs = createPdfWriter()
  const form = { form: content, charset: mdm.charset, writePdf: pdfs.write }

  /** Sends one message, and resolves once it is acknowledged. */
  async function send(run: FindRun, subject: Subject, document: SubjectDocument, place: MessagePlace) {
    const { event, controlId } = place
    const request = `MDM^${event}`
    const occurredAt = toDateTime(document.at)
    const text = await writeMdm(mdm, {
      ...place,
      occurredAt: occurredAt === undefined ? undefined : Date.parse(occurredAt),
      patientNumber: await patients.numberOf(subject.patient, run),
      patient: subject.patient,
      provider: subject.provider,
      documentType: codeOf(documentTypes, document.kind) ?? 'CN',
      loinc: document.loinc,
      kind: document.kind,
      title: document.title,
      isSettled: document.isSettled,
      content: event === 'T11' ? undefined : await contentOf(document.source, form),
    })
    const { Message } = await import('node-hl7-client')
    let begun: ReturnType<RunContext['beginRequest']> | undefined
    const answer = await connection
      .exchange<Acknowledgement>({
        message: encodeText(text, mdm.charset),
        withinMs: () => Math.min(timeoutMs, run.remainingMs()),
        signal: run.signal,
        begin() {
          run.assertMayAct()
          begun = run.beginRequest(request)
        },
        assertMayAct: run.assertMayAct,
        read: (block) => readAcknowledgement(block, controlId, (each) => new Message({ text: each })),
      })
      .catch((error: unknown) => {
        throw error instanceof MllpFailed ? failureOf(error, request, run.resourceId) : error
      })
    // A duplicate: an earlier attempt arrived, but its acknowledgement was lost.
    if (!isAccepted(answer.code) && !(place.isRepeated && isDuplicate(answer))) throw refusalOf(answer, request, run)
    begun?.answered()
  }

  function portOf(run: RunContext): Ehr {
    const tell = async (subject: Subject, document: SubjectDocument, isCalledOff: boolean): Promise<void> => {
      const { kind, key } = document
      const role = `MDM ${kind}${key === '' ? '' : ` ${run.digest(key)}`}`
      return oneAtATime(`${run.resourceId} ${role}`, () =>
        tellDocument(
          {
            role,
            patient: run.digest(patients.keyOf(subject.patient)),
            content: isCalledOff ? undefined : run.digest(identityOf(document)),
            replacesByT10,
          },
          run,
          clock.now(),
          (place) => send(run, subject, document, place),
        ),
      )
    }
    return documentEhr(
      {
        put: (subject, document) => tell(subject, document, false),
        callOff: hasStaffTasks ? (subject, document) => tell(subject, document, true) : undefined,
        takesFile: isShown,
        filing,
      },
      run,
    )
  }

  return {
    open: portOf,
    async check(signal, sample) {
      try {
        await connection.probe(timeoutMs, signal)
      } catch (error) {
        if (!(error instanceof MllpFailed)) throw error
        return { ok: false, findings: [`The listener of EHR_URL cannot be used: ${error.message}.`] }
      } finally {
        connection.close()
      }
      const { patient, write = false } = sample ?? {}
      const how = options.tls === undefined ? 'unencrypted' : 'by TLS'
      const unproven = write
        ? ''
        : ' Nothing was sent, and a listener does not speak first: whether it speaks HL7 and takes documents is unproven. --write with a test patient proves it.'
      const found = `The server of EHR_URL takes connections, ${how}.${unproven}`
      const report = await patients.check?.(signal, sample)
      const isUntried = patient !== undefined && !write && patients.check === undefined
      const untried = 'HL7 v2 shows nothing of the chart: --patient alone needs FHIR_BASE_URL.'
      const isTried = write && patient !== undefined && (report?.ok ?? true)
      const trial = isTried
        ? await tryDocument(send, { signal, patientNumber: patient, timeoutMs, hasStaffTasks, clock }).finally(() =>
            connection.close(),
          )
        : undefined
      return {
        ok: (report?.ok ?? true) && (trial?.ok ?? true),
        findings: [found, ...(report?.findings ?? []), ...(isUntried ? [untried] : []), ...(trial?.findings ?? [])],
        faults: [...faultsOf(report), ...faultsOf(trial)],
      }
    },
    async close() {
      connection.close()
      await pdfs.close()
    },
  }
}

function faultsOf(report: CheckReport | undefined): readonly string[] {
  return report === undefined || report.ok ? [] : (report.faults ?? report.findings)
}
