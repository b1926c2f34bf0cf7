import { type Created, PreferredPharmacy } from '../schemas/answers.ts'
import { PriorAuthorization } from '../schemas/prior-authorization.ts'
import {
  FeedbackRequest,
  NdpSubmissionUpdateRequest,
  PriorAuthorizationCancelRequest,
  PriorAuthorizationRequest,
} from '../schemas/prior-authorization-request.ts'
import { create, type OnCreated } from './create.ts'
import { readData } from './data.ts'
import { type OnChange, sendChange } from './own-change.ts'
import { type ApiRequest, type CallOptions, checkedBody } from './request.ts'
import type { Send } from './send.ts'

/** The endpoints under `/prior-authorization` (specification, Endpoint rules). */
export interface PriorAuthorizationCalls {
  /**
   * POST /prior-authorization. Throws RequestInvalid before sending, PreviousRequestInProgress, PrescriptionAlreadyLinked, ProviderNotAuthorized,
   * DailyLimitReached, ApiRefused with the documented code, and ApiOutcomeUnknown when the PA may or may not exist.
   */
  createPriorAuthorization(request: PriorAuthorizationRequest, options?: CallOptions): Promise<Created>
  /** GET /prior-authorization/{id}. Throws ApiNotFound. */
  getPriorAuthorization(id: string, options?: CallOptions): Promise<PriorAuthorization>
  /** POST /prior-authorization/{id}/cancel; the reason must not be empty. Throws NotAllowedInState when the PA is terminal, ApiNotFound. */
  cancelPriorAuthorization(id: string, reason: string, options?: CallOptions): Promise<void>
  /** POST /prior-authorization/{id}/feedback. Throws ApiNotFound, and ApiOutcomeUnknown when it may have been stored. */
  sendFeedback(id: string, feedback: FeedbackRequest, options?: CallOptions): Promise<void>
  /** PATCH /prior-authorization/{id}/ndp-submission: `ncpdpId` has 7 digits. Throws NotAllowedInState on a terminal PA or after a transfer attempt, ApiNotFound. */
  updatePreferredPharmacy(id: string, ncpdpId: string, options?: CallOptions): Promise<PreferredPharmacy>
  /** POST /prior-authorization/{id}/prescription-transfer/cancel. Throws NotAllowedInState when the transfer is completed, ApiNotFound. */
  cancelPrescriptionTransfer(id: string, options?: CallOptions): Promise<void>
}

const creations = '/prior-authorization'
export const priorAuthorizationRoute = `${creations}/{id}`

/** Makes the PA calls. */
export function createPriorAuthorizationCalls(
  send: Send,
  { onCreated, onChange }: { onCreated: OnCreated; onChange: OnChange },
): PriorAuthorizationCalls {
  async function write(what: Pick<ApiRequest, 'route' | 'id' | 'body' | 'repeatable' | 'options'>): Promise<void> {
    await send({ ...what, method: 'POST', mayBeEmpty: true })
  }
  return {
    async createPriorAuthorization(request, options) {
      const body = checkedBody({ method: 'POST', route: creations }, PriorAuthorizationRequest, request)
      const charges = { 'pa-create-24h': 1 }
      return create(send, { route: creations, body, charges, options }, { kind: 'prior_authorization', onCreated })
    },
    getPriorAuthorization(id, options) {
      const request: ApiRequest = { method: 'GET', route: priorAuthorizationRoute, id, repeatable: true, options }
      return readData(send, request, PriorAuthorization)
    },
    async cancelPriorAuthorization(id, reason, options) {
      const route = `${priorAuthorizationRoute}/cancel`
      const cancel = { cancellation_reason: reason }
      const body = checkedBody({ method: 'POST', route }, PriorAuthorizationCancelRequest, cancel)
      await sendChange({ name: 'cancel', id }, onChange, () => write({ route, id, body, repeatable: true, options }))
    },
    async sendFeedback(id, feedback, options) {
      const route = `${priorAuthorizationRoute}/feedback`
      const body = checkedBody({ method: 'POST', route }, FeedbackRequest, feedback)
      await write({ route, id, body, repeatable: false, options })
    },
    async updatePreferredPharmacy(id, ncpdpId, options) {
      const place = { method: 'PATCH', route: `${priorAuthorizationRoute}/ndp-submission` } as const
      const body = checkedBody(place, NdpSubmissionUpdateRequest, { preferred_pharmacy_ncpdp_id: ncpdpId })
      const change = { name: 'change_pharmacy', id, value: ncpdpId } as const
      const request: ApiRequest = { ...place, id, body, repeatable: true, options }
      return sendChange(change, onChange, () => readData(send, request, PreferredPharmacy))
    },
    async cancelPrescriptionTransfer(id, options) {
      const route = `${priorAuthorizationRoute}/prescription-transfer/cancel`
      const change = { name: 'cancel_transfer', id } as const
      await sendChange(change, onChange, () => write({ route, id, repeatable: true, options }))
    },
  }
}
