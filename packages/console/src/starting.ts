import { z } from 'zod'
import type { Act, Actor } from '@pawl/ledger/audit/audit-entry'
import type { AuditTrail } from '@pawl/ledger/audit/create-audit-trail'
import { PawlError } from '@pawl/base/errors'
import type { DraftAsked, ShownDraft } from 'pawl-client/schemas/request-draft'
import { contract } from './contract/contract.ts'
import { type ErrorCode, errorStatuses } from './contract/route.ts'
import { createReadingBound, maxReadings } from './reading-bound.ts'
import { refusal } from './serve.ts'

/** Starts requests to the service from a chart's prescriptions. Errors whose codes the contract knows are refusals. */
export interface ChartRequests {
  draft(this: void, asked: DraftAsked): Promise<ShownDraft>
  /** Resolves with the id of the created resource. Calls `noteReading` if the chart was read and no request was started. */
  start(
    this: void,
    asked: DraftAsked & { stamp: string; again: boolean },
    act: Act,
    noteReading: (shown: ShownDraft | undefined) => Promise<void>,
  ): Promise<string>
}

export interface StartingDeps {
  /** Absent if no chart can be read, and in a receiver. */
  requests?: ChartRequests | undefined
  ledger: Pick<AuditTrail, 'audit' | 'auditOfPatient'>
  /** Monotonic clock, in milliseconds. */
  elapsed?: () => number
}

/** The patient's number in a draft, if the chart has one. */
const OfPatient = z.object({ patient: z.object({ internal_id: z.string() }) })

/** Shows drafts to people, each recorded first, with its patient, and starts requests; refusals have codes of the contract. */
export function createStarting({ requests, ledger, elapsed }: StartingDeps) {
  const bound = createReadingBound(elapsed)

  async function asRefusal<T>(act: (starter: ChartRequests) => Promise<T>): Promise<T> {
    if (requests === undefined)
      throw refusal(
        'no_chart',
        'This process cannot read prescriptions: only a worker reads them, by FHIR (FHIR_BASE_URL, also beside EHR_URL, since HL7 v2 only takes documents).',
      )
    try {
      return await act(requests)
    } catch (error) {
      throw error instanceof PawlError && isRefusal(error.code) ? refusal(error.code, error.message) : error
    }
  }

  /** The first refusal of an hour is recorded. */
  async function takeReading(actor: Actor, prescription: string): Promise<void> {
    const taken = bound.take(actor, prescription)
    if (taken === 'taken') return
    const details = { route: contract.draftRequest.path, needs: `at most ${maxReadings} prescriptions within an hour` }
    if (taken === 'refused') await ledger.audit({ actor, action: 'access.refuse', details })
    throw refusal(
      'too_many_requests',
      `You have read ${maxReadings} prescriptions within an hour, the most that one person may: wait, then try again.`,
    )
  }

  /** Records a reading. A patient's number that the person gave may be another patient's. */
  async function noteReading(actor: Actor, { kind, prescription, given }: DraftAsked, shown: ShownDraft | undefined) {
    const gave = Object.hasOwn(given, 'patient.internal_id') ? { number: 'given' } : {}
    const details = { kind, prescription: `MedicationRequest/${prescription}`, ...gave }
    const entry = { actor, action: 'request.draft', details } as const
    const ofPatient = OfPatient.safeParse(shown?.draft.request).data
    await (ofPatient === undefined ? ledger.audit(entry) : ledger.auditOfPatient(entry, ofPatient.patient.internal_id))
  }

  return {
    draft: (asked: DraftAsked, actor: Actor) =>
      asRefusal(async ({ draft }) => {
        await takeReading(actor, asked.prescription)
        let shown: ShownDraft | undefined
        try {
          shown = await draft(asked)
        } finally {
          await noteReading(actor, asked, shown)
        }
        return shown
      }),
    start: (asked: Parameters<ChartRequests['start']>[0], actor: Actor) =>
      asRefusal(async ({ start }) => {
        await takeReading(actor, asked.prescription)
        return start(asked, { actor }, (shown) => noteReading(actor, asked, shown))
      }),
  }
}
const isRefusal = (code: string): code is ErrorCode => Object.hasOwn(errorStatuses, code)

export type Starting = ReturnType<typeof createStarting>
