import type { ResourceRecord } from '../platform/store.ts'
import {
  type BenefitVerificationResource,
  type BenefitVerificationStatus,
} from '../../service/schemas/benefit-verification.ts'
import type { BenefitVerificationScript } from './script.ts'

export type BenefitVerificationRecord = ResourceRecord<
  'benefit_verification',
  BenefitVerificationResource,
  BenefitVerificationScript,
  BenefitVerificationStatus
>
