import type { BenefitVerification } from 'pawl-client/schemas/benefit-verification'
import type { Subject } from '../../ehr.ts'

/** Whether a subject is a BV: by `object`, or by the id's prefix where the service leaves `object` out (specification, BV resource). */
export function isBenefitVerification(subject: Subject): subject is BenefitVerification {
  return subject.object === undefined ? subject.id.startsWith('bv_') : subject.object === 'benefit_verification'
}
