import { readControl } from '../platform/read-control.ts'
import type { ResourceControl } from '../platform/resource-control.ts'
import type { BenefitVerifications } from './benefit-verifications.ts'
import { BenefitVerificationPush } from './pushed-result.ts'

export function benefitVerificationControl(benefitVerifications: BenefitVerifications): ResourceControl {
  const { get, has } = benefitVerifications
  return {
    has,
    push: (id, request) => {
      const { status, ...result } = readControl(BenefitVerificationPush, request)
      benefitVerifications.push(get(id), status, result)
      return get(id).resource.status
    },
    cancel: (id) => {
      benefitVerifications.cancel(get(id))
      return get(id).resource.status
    },
  }
}
