import { PawlError } from '@pawl/base/errors'
import type { RunContext } from '@pawl/connector/system'
import { isTerminal } from 'pawl-client/schemas/kinds'
import type { ChartFile, Ehr, Subject } from '../ehr.ts'
import { type Filing, isNoteFiled, isStateFiled } from '../filing.ts'
import { isTextual, leaveOutFile, warnUnlessShown } from '../shown-types.ts'
import {
  benefitVerificationDocument,
  endedStaffTask,
  fileDocument,
  messageDocument,
  noteDocument,
  priorAuthorizationDocument,
  staffTaskDocument,
  type SubjectDocument,
  transferDocument,
} from './subject-document.ts'

/** A chart that takes whole documents, and nothing else. */
export interface DocumentChart {
  /** Brings a document to its newest content. */
  put(subject: Subject, document: SubjectDocument): Promise<void>
  /** Calls off the document of a staff task. Absent: staff tasks become no documents. */
  callOff?: ((subject: Subject, document: SubjectDocument) => Promise<void>) | undefined
  /** Whether the chart takes the file as it is. */
  takesFile(file: ChartFile): boolean
  filing: Filing
}

/** The port of such a chart for one run: what handlers say becomes documents, as far as they are to be filed. */
export function documentEhr({ put, callOff, takesFile, filing }: DocumentChart, run: RunContext): Ehr {
  /** The documents of the files to be filed. Staff are told of those that no document can hold. */
  const filed = (subject: Subject, files: readonly ChartFile[]): SubjectDocument[] =>
    (filing.letters === 'none' ? [] : files).flatMap((file) => {
      const asIs = takesFile(file)
      if (!asIs && !isTextual(file)) {
        leaveOutFile(run, file)
        return []
      }
      warnUnlessShown(run.log, file)
      return [fileDocument(subject, file, asIs)]
    })
  return {
    async putPriorAuthorization(pa) {
      if (isStateFiled(filing.states, isTerminal('prior_authorization', pa.status)))
        await put(pa, priorAuthorizationDocument(pa, filing.states))
    },
    putMessage: (pa, message, files = []) =>
      eachOf(
        [...filed(pa, files), ...(filing.messages === 'every' ? [messageDocument(pa, message)] : [])],
        (document) => put(pa, document),
      ),
    async putBenefitVerification(bv) {
      if (isStateFiled(filing.benefits, isTerminal('benefit_verification', bv.status)))
        await put(bv, benefitVerificationDocument(bv))
    },
    async putPrescriptionTransfer(pa) {
      // The document of a PA's result says how its transfer ended.
      if (pa.prescription_transfer !== undefined && filing.states === 'every') await put(pa, transferDocument(pa))
    },
    async openStaffTask(subject, task) {
      if (callOff !== undefined) await put(subject, staffTaskDocument(subject, task))
    },
    async closeStaffTask(subject, _ending, key) {
      await callOff?.(subject, endedStaffTask(key))
    },
    putFile: (subject, file) => eachOf(filed(subject, [file]), (document) => put(subject, document)),
    async tellOfFile(_subject, file) {
      if (filing.letters !== 'none') leaveOutFile(run, file)
    },
    async putNote(subject, chartNote) {
      if (isNoteFiled(chartNote.kind, filing)) await put(subject, noteDocument(subject, chartNote))
    },
  }
}

/** Acts on all, even if one is refused, but stops if the chart is away. Throws the first failure. */
async function eachOf<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = []
  for (const one of all) {
    await act(one).catch((error: unknown) => failures.push(error))
    const last = failures.at(-1)
    if (last instanceof PawlError && last.isOutage) throw last
  }
  if (failures.length > 0) throw failures[0]
}
