import type { ResourceRecord } from '../platform/store.ts'
import type { BenefitVerificationResource } from '../../service/schemas/benefit-verification.ts'
import type { BenefitVerificationScript } from './script.ts'
import type { BenefitVerificationStatus } from '../../service/schemas/benefit-verification.ts'

export type BenefitVerificationRecord = ResourceRecord<
  'benefit_verification',
  BenefitVerificationResource,
  BenefitVerificationScript,
  BenefitVerificationStatus
>
