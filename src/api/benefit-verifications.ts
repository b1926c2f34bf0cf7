import { BenefitVerification } from '../resources/benefit-verification.ts'
import type { Caller } from './caller.ts'
import { readData } from './data.ts'
import type { CallOptions } from './request.ts'

/** The endpoints under `/benefit-verification`. */
export interface BenefitVerificationCalls {
  /** GET /benefit-verification/{id}. Throws ApiNotFound. */
  getBenefitVerification(id: string, options?: CallOptions): Promise<BenefitVerification>
}

export const benefitVerificationRoute = '/benefit-verification/{id}'

/** Makes the BV endpoints upon a caller. */
export function createBenefitVerificationCalls(call: Caller): BenefitVerificationCalls {
  return {
    getBenefitVerification: (id, options) =>
      readData(
        call,
        { method: 'GET', route: benefitVerificationRoute, id, repeatable: true, options },
        BenefitVerification,
      ),
  }
}
