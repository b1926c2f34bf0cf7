import { z } from 'zod'
import { MessageRequest } from '../platform/message-request.ts'
import { transferErrorCodes } from 'pawl-client/schemas/outcome'
import { attachedToFax, Attachment } from '../platform/attachment.ts'
import { control, type Control } from '../platform/control.ts'
import { readControl } from '../platform/read-control.ts'
import type { ResourceControl } from '../platform/resource-control.ts'
import { compact, fromWire } from '../platform/wire.ts'
import type { EmittedEvent, RecordEvents } from '../webhooks/webhooks.ts'
import type { NewActivity, NewMessage } from './history.ts'
import type { PriorAuthorizations } from './prior-authorizations.ts'
import type { TransferPush } from './transfer.ts'
import { ncpdpId } from 'pawl-client/schemas/text'
import { BenefitsCheckResponse } from 'pawl-client/schemas/prior-authorization'

/** Id of an addition to a PA, and the events emitted for it. */
export interface Added {
  id: string
  events: EmittedEvent[]
}

/** Result of a push of a PA's part. */
export interface PushedPart {
  /** Id of the PA. */
  id: string
  state: string
  events: EmittedEvent[]
}

/** Controls over the parts of a PA besides its status. */
export interface PriorAuthorizationControls {
  /** Adds a message to the PA's thread; emits `prior_authorization.message`. */
  addMessage(priorAuthorizationId: string, message: NewMessage): Added
  /** Adds an entry to the PA's activity log; emits `prior_authorization.activity_log_updated`. */
  addActivity(priorAuthorizationId: string, activity: NewActivity): Added
  /** The review step of the non-delegated workflow: `awaiting_review` to `awaiting_outcome`. */
  review(priorAuthorizationId: string): PushedPart
  /** Moves the PA's prescription transfer to a legal next state of its table, such as `confirmed`. `errorCode` goes with `error`, `pharmacyNcpdpId` (seven digits) with an attempt. */
  pushTransfer(priorAuthorizationId: string, state: string, options?: TransferPush): PushedPart
  /** Completes the PA's real-time benefits check, or another one after it. Fields missing in `response` are invented. */
  pushBenefitsCheck(priorAuthorizationId: string, options?: { response?: Partial<BenefitsCheckResponse> }): PushedPart
}

/** A control's push of a PA: a new status, and an outcome if it ends or is validated; or the same status, and another outcome. */
export const PriorAuthorizationPush = z.strictObject({
  status: z.string().min(1),
  outcome: z
    .strictObject({
      result: z.enum(['Approved', 'Approval', 'Denied', 'Not Submitted', 'Other']),
      detail_code: z.string().min(1).optional(),
      client_code: z.string().min(1).optional(),
      authorization_expiration: z.iso.date().optional(),
    })
    .optional(),
})
export type PriorAuthorizationPush = Omit<z.infer<typeof PriorAuthorizationPush>, 'status'>

export function priorAuthorizationControl(priorAuthorizations: PriorAuthorizations): ResourceControl {
  const { get, has } = priorAuthorizations
  return {
    has,
    push: (id, request) => {
      const { status, outcome } = readControl(PriorAuthorizationPush, request)
      priorAuthorizations.push(get(id), status, outcome)
      return get(id).resource.status
    },
    cancel: (id) => {
      priorAuthorizations.cancel(get(id), 'cancelled by a control')
      return get(id).resource.status
    },
  }
}

export function priorAuthorizationControls(
  priorAuthorizations: PriorAuthorizations,
  recordEvents: RecordEvents,
): PriorAuthorizationControls {
  const { get } = priorAuthorizations

  function added(add: () => string): Added {
    const { result: id, events } = recordEvents(add)
    return { id, events }
  }

  function pushed(id: string, push: () => string): PushedPart {
    const { result: state, events } = recordEvents(push)
    return { id, state, events }
  }

  return {
    addMessage: (id, message) => added(() => priorAuthorizations.addMessage(get(id), message)),
    addActivity: (id, activity) => added(() => priorAuthorizations.addActivity(get(id), activity)),
    review: (id) =>
      pushed(id, () => {
        priorAuthorizations.review(get(id))
        return get(id).resource.status
      }),
    pushTransfer: (id, state, options) => pushed(id, () => priorAuthorizations.pushTransfer(get(id), state, options)),
    pushBenefitsCheck: (id, { response } = {}) =>
      pushed(id, () => {
        priorAuthorizations.pushBenefitsCheck(get(id), response)
        return 'completed'
      }),
  }
}

const text = z.string().min(1)

const ActivityRequest = z
  .strictObject({
    type: z.enum(['sent_fax', 'received_fax', 'follow_up_call']),
    notes: text.optional(),
    recording_url: text.optional(),
    transcript: text.optional(),
    attachment: Attachment.optional(),
  })
  .refine(...attachedToFax)

const TransferRequest = z.strictObject({
  state: text,
  error_code: z.enum(transferErrorCodes).optional(),
  pharmacy_ncpdp_id: ncpdpId.optional(),
})

const BenefitsCheckRequest = z.strictObject({ response: BenefitsCheckResponse.partial().optional() })

export const priorAuthorizationControlRoutes = (controls: PriorAuthorizationControls): Control[] => [
  control(
    'POST /prior-authorization/:id/messages',
    { summary: 'Add a message to a PA', body: MessageRequest },
    ({ id, body }) => controls.addMessage(id, fromWire(body)),
  ),
  control(
    'POST /prior-authorization/:id/activities',
    { summary: 'Add an entry to the activity log of a PA', body: ActivityRequest },
    ({ id, body }) => controls.addActivity(id, fromWire(body)),
  ),
  control('POST /prior-authorization/:id/review', { summary: 'Do the review step of a non-delegated PA' }, ({ id }) =>
    controls.review(id),
  ),
  control(
    'POST /prior-authorization/:id/transfer',
    { summary: 'Push the prescription transfer of a PA', body: TransferRequest },
    ({ id, body }) => {
      const { state, ...options } = fromWire(body)
      return controls.pushTransfer(id, state, options)
    },
  ),
  control(
    'POST /prior-authorization/:id/benefits-check',
    {
      summary: 'Complete the real-time benefits check of a PA',
      body: BenefitsCheckRequest,
      isBodyOptional: true,
    },
    ({ id, body: { response } }) => controls.pushBenefitsCheck(id, response && { response: compact(response) }),
  ),
]
