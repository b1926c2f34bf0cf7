import type { ResourceRecord } from '../platform/store.ts'
import {
  type BenefitVerificationResource,
  type BenefitVerificationStatus,
} from 'pawl-client/schemas/benefit-verification'
import type { BenefitVerificationScript } from './script.ts'

export type BenefitVerificationRecord = ResourceRecord<
  'benefit_verification',
  BenefitVerificationResource,
  BenefitVerificationScript,
  BenefitVerificationStatus
>
