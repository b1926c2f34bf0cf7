import { stampOf } from '@pawl/base/stamp'
import { PawlError } from '@pawl/base/errors'
import type { Log } from '@pawl/base/log'
import type { Act } from '@pawl/ledger/audit/audit-entry'
import type { Intake } from '@pawl/ledger/hot/accept'
import type { Starts } from '@pawl/ledger/hot/starts'
import type { Api } from 'pawl-client/api/client'
import { PrescriptionAlreadyLinked } from 'pawl-client/api/refusals'
import type { BenefitVerificationRequest } from 'pawl-client/schemas/benefit-verification'
import type { PriorAuthorizationRequest } from 'pawl-client/schemas/prior-authorization-request'
import type { DraftAsked, ShownDraft } from 'pawl-client/schemas/request-draft'
import type { System } from '@pawl/connector/system'
import { surelyFailed } from './once.ts'
import { ownEvent } from './own-event.ts'

/** No request was started; `code` says why. */
class StartRefused extends PawlError {
  readonly code: 'nothing' | 'already_started' | 'start_unsure' | 'changed' | 'incomplete'

  constructor(code: StartRefused['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** A draft to send as it was shown. */
type StartAsked = DraftAsked & { stamp: string; again: boolean }

/** Records that a person read the chart; `shown` is absent if that gave no draft. */
type NoteReading = (shown: ShownDraft | undefined) => Promise<void>

/** Starts requests to the service from prescriptions of a chart, each once. */
export interface RequestStarter {
  /** Throws `StartRefused` without such a prescription, and errors of the chart. */
  draft(this: void, asked: DraftAsked): Promise<ShownDraft>
  /** Sends the draft if it still has this stamp; resolves with the id. Calls `noteReading` if the chart was read but the start did not begin. Throws `StartRefused`, and errors of chart and service. */
  start(this: void, asked: StartAsked, act: Act, noteReading: NoteReading): Promise<string>
}

export interface StartDeps {
  /** The chart. */
  system: Required<Pick<System<object>, 'draft'>>
  ledger: Starts & Pick<Intake, 'accept'>
  /** The service, on behalf of one prescription. */
  apiFor: (prescription: string) => Pick<Api, 'createPriorAuthorization' | 'createBenefitVerification'>
  /** Wakes a worker for the resource; must not throw. */
  enqueue: (resourceId: string) => void
  signal: AbortSignal
  log: Log
}

export function createRequestStarter({ system, ledger, apiFor, enqueue, signal, log }: StartDeps): RequestStarter {
  async function draft(asked: DraftAsked): Promise<ShownDraft> {
    const drafted = await system.draft(asked, signal)
    if (drafted === undefined)
      throw new StartRefused(
        'nothing',
        'The chart has no such prescription, or does not show its patient: check the id.',
      )
    const started = await ledger.readStart(keyOf(asked))
    return { draft: drafted, stamp: stampOf(drafted), startedAs: started?.resourceId }
  }

  /** Follows a PA of another sender, which the ledger may not know. */
  async function follow(id: string): Promise<void> {
    const kind = 'prior_authorization'
    await ledger.accept(ownEvent({ resourceId: id, kind, source: 'cli', title: 'Had the prescription already' }))
    enqueue(id)
  }

  /** Drafts the request anew and records that its start began. If it must not start, records the reading of the chart. */
  async function begin({ again, stamp, ...asked }: StartAsked, act: Act, noteReading: NoteReading) {
    let shown: ShownDraft | undefined
    try {
      shown = await draft(asked)
      const { draft: drafted, ...now } = shown
      if (now.startedAs !== undefined) throw alreadyStarted(now.startedAs)
      if (!drafted.isComplete)
        throw new StartRefused('incomplete', `Missing: ${drafted.missing.map(({ field }) => field).join(', ')}.`)
      if (now.stamp !== stamp)
        throw new StartRefused('changed', 'The chart changed since the request was shown: look at it again.')
      // The draft is complete, so the schema of its kind has accepted it.
      const request = drafted.request as PriorAuthorizationRequest | BenefitVerificationRequest
      const { internal_id: patient } = request.patient
      const isNumberGiven = Object.hasOwn(asked.given, 'patient.internal_id')
      const earlier = await ledger.beginStart(keyOf(asked), { ...act, again, patient, isNumberGiven })
      if (earlier?.resourceId !== undefined) throw alreadyStarted(earlier.resourceId)
      if (earlier !== undefined)
        throw new StartRefused(
          'start_unsure',
          'An earlier start got no answer, so the service may have the request: look for it there first; if it has none, start again with --again.',
        )
      return request
    } catch (error) {
      await noteReading(shown)
      throw error
    }
  }

  return {
    draft,
    async start(asked, act, noteReading) {
      const request = await begin(asked, act, noteReading)
      const key = keyOf(asked)
      const api = apiFor(key.prescription)
      try {
        // The request is of this kind.
        const { id } = await (asked.kind === 'prior_authorization'
          ? api.createPriorAuthorization(request as PriorAuthorizationRequest)
          : api.createBenefitVerification(request as BenefitVerificationRequest))
        await ledger.endStart(key, id)
        log.info({ resource_id: id }, 'started from the chart')
        return id
      } catch (error) {
        const linked = error instanceof PrescriptionAlreadyLinked ? error.existingPriorAuthRequestId : undefined
        if (linked !== undefined) {
          await follow(linked)
          await ledger.endStart(key, linked)
          throw new StartRefused(
            'already_started',
            `The service has ${linked} for this prescription already: pawl follows it, and created no other.`,
          )
        }
        // If the note stays, the next start is refused needlessly, which is the safer mistake.
        if (surelyFailed(error)) await ledger.forgetStart(key).catch(() => undefined)
        throw error
      }
    },
  }
}

const alreadyStarted = (id: string) =>
  new StartRefused('already_started', `${id} was already started from this prescription.`)

const keyOf = ({ kind, prescription }: DraftAsked) => ({ kind, prescription: `MedicationRequest/${prescription}` })
