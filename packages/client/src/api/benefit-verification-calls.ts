import type { Created } from '../schemas/answers.ts'
import { BenefitVerification, BenefitVerificationRequest } from '../schemas/benefit-verification.ts'
import { create, type OnCreated } from './create.ts'
import { readData } from './data.ts'
import { type OnChange, sendChange } from './own-change.ts'
import { type ApiRequest, type CallOptions, checkedBody } from './request.ts'
import type { Send } from './send.ts'

/** The endpoints under `/benefit-verification` (specification, Endpoint rules). */
export interface BenefitVerificationCalls {
  /** POST /benefit-verification: accepts all of its drugs or none. Throws RequestInvalid before sending, ApiRefused, RateLimited, and ApiOutcomeUnknown when the BV may or may not exist. */
  createBenefitVerification(request: BenefitVerificationRequest, options?: CallOptions): Promise<Created>
  /** GET /benefit-verification/{id}. Throws ApiNotFound. */
  getBenefitVerification(id: string, options?: CallOptions): Promise<BenefitVerification>
  /** POST /benefit-verification/{id}/cancel; retried while the BV is busy. Throws ApiNotFound, ResourceBusy. */
  cancelBenefitVerification(id: string, options?: CallOptions): Promise<void>
}

const creations = '/benefit-verification'
export const benefitVerificationRoute = `${creations}/{id}`

/** Makes the BV calls. */
export function createBenefitVerificationCalls(
  send: Send,
  { onCreated, onChange }: { onCreated: OnCreated; onChange: OnChange },
): BenefitVerificationCalls {
  return {
    async createBenefitVerification(request, options) {
      const body = checkedBody({ method: 'POST', route: creations }, BenefitVerificationRequest, request)
      const what = { route: creations, body, charges: chargesOf(request), options }
      return create(send, what, { kind: 'benefit_verification', onCreated })
    },
    getBenefitVerification(id, options) {
      const request: ApiRequest = { method: 'GET', route: benefitVerificationRoute, id, repeatable: true, options }
      return readData(send, request, BenefitVerification)
    },
    async cancelBenefitVerification(id, options) {
      const route = `${benefitVerificationRoute}/cancel`
      const request: ApiRequest = {
        method: 'POST',
        route,
        id,
        repeatable: true,
        retryBusy: true,
        mayBeEmpty: true,
        options,
      }
      await sendChange({ name: 'cancel', id }, onChange, () => send(request))
    },
  }
}

/** One unit per drug in every drug policy that applies (specification, Limits 2). */
function chargesOf({ drugs, preferred_processing_mode: mode }: BenefitVerificationRequest): Record<string, number> {
  const isRealTime = mode === 'realtime' || mode === 'realtime_only'
  return { 'bv-drug-24h': drugs.length, ...(isRealTime ? { 'rtbv-drug-minute': drugs.length } : {}) }
}
