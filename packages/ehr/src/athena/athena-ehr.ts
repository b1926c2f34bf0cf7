import { systemClock } from '@pawl/base/clock'
import { leanFetch } from '@pawl/base/net/fetch'
import { PawlError } from '@pawl/base/errors'
import { checkRun, type ExchangeDeps, noRun } from '@pawl/connector/exchange'
import type { CheckReport, RunContext, System } from '@pawl/connector/system'
import type { Patient } from 'pawl-client/schemas/people'
import { documentEhr } from '../documents/document-ehr.ts'
import { codeOf } from '../documents/document-kinds.ts'
import { identityOf, type SubjectDocument } from '../documents/subject-document.ts'
import type { Ehr } from '../ehr.ts'
import { type ChosenFiling, filingFor } from '../filing.ts'
import { trialNote } from '../fhir/check/trial-subjects.ts'
import { createPdfWriter } from '../narrative/pdf-writer.ts'
import { createOneAtATime } from '@pawl/connector/one-at-a-time'
import { PatientNotFound } from '../patient-not-found.ts'
import { text, toDay } from '../primitives.ts'
import { essenceOf } from '../shown-types.ts'
import {
  type AthenaAccess,
  type AthenaClient,
  createAthenaClient,
  createAthenaTokens,
  type NewDocument,
} from './athena-client.ts'
import { replaceDocument } from './replace-document.ts'

export interface AthenaEhrOptions extends AthenaAccess {
  /** As ATHENA_DOCUMENT_SUBCLASS: it names one for each kind. */
  subclasses: readonly string[]
  /** Whether documents skip the inbox of the department. */
  isClosed: boolean
  patientField: 'internal_id' | 'mrn'
  /** What is filed. Default: results, letters and faxes. */
  filing?: ChosenFiling | undefined
  /** What a run's requests go through, for tests. */
  deps?: Partial<ExchangeDeps>
}

/** Memory role of the patient: the number in athenaOne, with a digest of number and birth date. */
const patientRole = 'Patient'

/**
 * athenaOne's charts, by the documents of its own interface: PDFs of a class and subclass, each under its patient and department. A patient's number is used only while
 * its birth date agrees with the request's. Methods throw `EhrWriteFailed`, `PatientNotFound` and the errors of tokens.
 */
export function createAthenaEhr(options: AthenaEhrOptions): System<Ehr> {
  const { subclasses, isClosed, patientField: field } = options
  const deps: ExchangeDeps = { fetch: leanFetch, clock: systemClock, timeoutMs: 15_000, ...options.deps }
  const tokens = createAthenaTokens(options, deps)
  const filing = filingFor(options.filing ?? {}, { updatesDocuments: false, takesMessages: false })
  const pdfs = createPdfWriter()
  const oneAtATime = createOneAtATime()

  async function toFile({ kind, title, at, source }: SubjectDocument, mark: string): Promise<NewDocument> {
    return {
      // The settings name one for each kind.
      subclass: codeOf(subclasses, kind) ?? '',
      title,
      mark,
      day: at === undefined ? undefined : toDay(at),
      isClosed,
      pdf: 'bytes' in source ? source.bytes : await pdfs.write(source.narrative),
    }
  }

  /** The patient's number in athenaOne, whose birth date agrees. Throws `PatientNotFound` and the client's errors. */
  async function numberOf(client: AthenaClient, patient: Patient | undefined, run: RunContext): Promise<string> {
    const number = text(patient?.[field])?.trim()
    if (number === undefined)
      throw new PatientNotFound(
        `The service's resource has no patient.${field}, by which ATHENA_PATIENT_FIELD=${field} names the patient to athenaOne: send it with the request, or set the other field.`,
      )
    const birthDate = text(patient?.date_of_birth)
    const digest = run.digest(JSON.stringify(['patient', field, number, birthDate]))
    const known = await run.memory.read(patientRole)
    if (known?.digest === digest) return known.id
    const found = /^\d+$/.test(number) ? await client.patient(number) : undefined
    if (found === undefined)
      throw new PatientNotFound(
        `athenaOne has no patient with the request's patient.${field}: enter it there, or correct ATHENA_PATIENT_FIELD, ATHENA_PRACTICE_ID or the request.`,
      )
    if (birthDate !== undefined && found.birthDate !== undefined && birthDate !== found.birthDate)
      throw new PatientNotFound(
        `The patient of athenaOne with the request's patient.${field} has another birth date: correct it there or in the request.`,
      )
    run.memory.note(patientRole, { id: number, digest })
    return number
  }

  function portOf(run: RunContext): Ehr {
    const client = createAthenaClient(options, tokens, deps, run)
    return documentEhr(
      {
        async put(subject, document) {
          const role = `athena ${document.kind}${document.key === '' ? '' : ` ${run.digest(document.key)}`}`
          const patientId = await numberOf(client, subject.patient, run)
          const mark = run.digest(JSON.stringify([role, run.resourceId, patientId, identityOf(document)])).slice(0, 16)
          await oneAtATime(`${run.resourceId} ${role}`, () =>
            replaceDocument(
              {
                role,
                patientId,
                mark,
                add: async () => client.add(patientId, await toFile(document, mark)),
                wrote: (id) => run.wrote({ type: options.documentClass, id }),
                kept: (id) =>
                  run.log.warn({ code: id }, 'athenaOne does not delete the document that a newer one replaces'),
              },
              run.memory,
              client,
            ),
          )
        },
        takesFile: ({ contentType }) => essenceOf(contentType) === 'application/pdf',
        filing,
      },
      run,
    )
  }

  /** Files a document for the test patient, and deletes it. */
  async function tryDocument(patientId: string, signal: AbortSignal): Promise<CheckReport> {
    const run = { resourceId: 'the test patient', ...noRun(signal, deps.timeoutMs) }
    const client = createAthenaClient(options, tokens, deps, run)
    const { title, text: words, at, key } = trialNote
    const narrative = { title, lead: words, sections: [] }
    const document: SubjectDocument = {
      kind: 'note',
      key,
      title,
      loinc: ['', ''],
      isSettled: true,
      at,
      source: { narrative },
    }
    const id = await client.add(patientId, await toFile(document, `check${deps.clock.now()}`))
    if (await client.remove(patientId, id))
      return { ok: true, findings: [`A document for the test patient was filed (${id}) and deleted again.`] }
    const stays = `The document ${id} of the test patient stays: athenaOne does not delete it. Delete it by hand; a document that changed will stand beside its former one.`
    return { ok: true, findings: [stays] }
  }

  return {
    patientRole,
    open: portOf,
    async check(signal, { patient, write = false } = {}) {
      const run = { resourceId: 'the check', ...checkRun(signal) }
      const client = createAthenaClient(options, tokens, deps, run)
      const findings: string[] = []
      try {
        if (!(await client.hasDepartment()))
          return {
            ok: false,
            findings: [
              'athenaOne gives a token, but has no such department: correct ATHENA_DEPARTMENT_ID or ATHENA_PRACTICE_ID.',
            ],
          }
        findings.push('athenaOne gives a token, and has the department.')
        if (patient === undefined) return { ok: true, findings }
        if ((await client.patient(patient)) === undefined)
          return {
            ok: false,
            findings: [...findings, 'It has no patient of this number.'],
            faults: ['It has no patient of this number.'],
          }
        findings.push('It has the test patient.')
        if (!write) return { ok: true, findings }
        const trial = await tryDocument(patient, signal)
        return { ok: trial.ok, findings: [...findings, ...trial.findings] }
      } catch (error) {
        if (!(error instanceof PawlError)) throw error
        return { ok: false, findings: [...findings, error.message], faults: [error.message] }
      }
    },
    close: pdfs.close,
  }
}
