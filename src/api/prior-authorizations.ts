import { z } from 'zod'
import { open } from '../resources/open.ts'
import { PriorAuthorization } from '../resources/prior-authorization.ts'
import type { Caller } from './caller.ts'
import { readData } from './data.ts'
import type { CallOptions } from './request.ts'

/** The endpoints under `/prior-authorization`. */
export interface PriorAuthorizationCalls {
  /** GET /prior-authorization/{id}. Throws ApiNotFound. */
  getPriorAuthorization(id: string, options?: CallOptions): Promise<PriorAuthorization>
  /** POST /prior-authorization/{id}/cancel. Throws NotAllowedInState when the PA is terminal, ApiNotFound. */
  cancelPriorAuthorization(id: string, reason: string, options?: CallOptions): Promise<void>
  /** PATCH /prior-authorization/{id}/ndp-submission: `ncpdpId` has 7 digits. Throws NotAllowedInState on a terminal PA or after a transfer attempt, ApiNotFound. */
  updatePreferredPharmacy(id: string, ncpdpId: string, options?: CallOptions): Promise<PreferredPharmacy>
  /** POST /prior-authorization/{id}/prescription-transfer/cancel. Throws NotAllowedInState when the transfer is completed, ApiNotFound. */
  cancelPrescriptionTransfer(id: string, options?: CallOptions): Promise<void>
}

/** What the service answers to a change of the preferred pharmacy. */
const PreferredPharmacy = z.looseObject({ preferred_pharmacy_ncpdp_id: open(z.string()) })
export type PreferredPharmacy = z.infer<typeof PreferredPharmacy>

export const priorAuthorizationRoute = '/prior-authorization/{id}'

/** Makes the PA endpoints upon a caller. */
export function createPriorAuthorizationCalls(call: Caller): PriorAuthorizationCalls {
  const repeatable = true
  return {
    getPriorAuthorization: (id, options) =>
      readData(call, { method: 'GET', route: priorAuthorizationRoute, id, repeatable, options }, PriorAuthorization),
    async cancelPriorAuthorization(id, reason, options) {
      const route = `${priorAuthorizationRoute}/cancel`
      await call({ method: 'POST', route, id, body: { cancellation_reason: reason }, repeatable, options })
    },
    updatePreferredPharmacy(id, ncpdpId, options) {
      const route = `${priorAuthorizationRoute}/ndp-submission`
      const body = { preferred_pharmacy_ncpdp_id: ncpdpId }
      return readData(call, { method: 'PATCH', route, id, body, repeatable, options }, PreferredPharmacy)
    },
    async cancelPrescriptionTransfer(id, options) {
      const route = `${priorAuthorizationRoute}/prescription-transfer/cancel`
      await call({ method: 'POST', route, id, repeatable, options })
    },
  }
}
