import type { Core } from '../core.ts'
import { type BenefitVerificationCondition, benefitVerificationRows, type BenefitVerificationStatus } from './states.ts'
import type { Machine } from '../platform/machine.ts'
import type { BenefitVerificationRecord } from '../records.ts'
import { showResults, statusDescriptions } from './resource.ts'

/** What the BV table means. One event, at `completed` or `failed`; none at creation or cancellation (specification, Events; supplement, Webhooks). */
export function benefitVerificationMachine(
  core: Core,
  ended: (record: BenefitVerificationRecord) => void,
): Machine<BenefitVerificationRecord, BenefitVerificationStatus, BenefitVerificationCondition> {
  return {
    name: 'benefit_verification',
    rows: benefitVerificationRows,
    progressOf: (record) => record.progress,
    conditions: {
      failsInRealTime: ({ plan }) => plan.isRealTime && plan.error !== null,
      isRealTime: ({ plan }) => plan.isRealTime,
      fails: ({ plan }) => plan.error !== null,
    },
    entered: (record, status) => {
      const { id, organization, resource, plan } = record
      const random = core.random.fork(`${id}/results`)
      resource.status = status
      resource.status_description = statusDescriptions[status]
      if (status === 'cancelled') ended(record)
      if (status !== 'completed' && status !== 'failed') return
      resource.verification_methods = [
        {
          id: `bva_${random.letters(20)}`,
          type: 'ai_call',
          transcript: 'Sandbox call: no words were spoken.',
          recording_url: null,
        },
      ]
      if (status === 'completed') showResults(resource, plan, random)
      else {
        resource.error = plan.error
        resource.patient_coverage_status = 'unknown'
      }
      core.emit({ organization, type: 'benefit_verification.status_change', resource })
      ended(record)
    },
  }
}
