import { usualFindings } from './findings.ts'
import { statusDescriptions } from './new-resource.ts'
import { showPushed } from './pushed-result.ts'
import type { BenefitVerificationRecord } from './record.ts'
import { showResults } from './results.ts'
import type { BenefitVerificationStatus } from 'pawl-client/schemas/benefit-verification'
import { type BenefitVerificationCondition, benefitVerificationRows } from './states.ts'
import type { Platform } from '../platform.ts'
import { pathOfFile } from '../files/served-file.ts'
import type { Machine } from '../platform/machine.ts'

/** Conditions and effects of the BV table. One event, at `completed` or `failed`; none at creation or cancellation (specification, Events; supplement, Webhooks). */
export function benefitVerificationMachine(
  platform: Platform,
  ended: (record: BenefitVerificationRecord) => void,
): Machine<BenefitVerificationRecord, BenefitVerificationStatus, BenefitVerificationCondition> {
  return {
    name: 'benefit_verification',
    rows: benefitVerificationRows,
    progressOf: (record) => record.progress,
    detailOf: ({ script }, to) => (to === 'failed' ? script.error?.code : undefined),
    conditions: {
      failsInRealTime: ({ script }) => script.isRealTime && script.error !== null,
      isRealTime: ({ script }) => script.isRealTime,
      fails: ({ script }) => script.error !== null,
    },
    entered: (record, status) => {
      const { id, organization, resource, script } = record
      const random = platform.random.fork(`${id}/results`)
      resource.status = status
      resource.status_description = statusDescriptions[status]
      if (status === 'cancelled') ended(record)
      if (status !== 'completed' && status !== 'failed') return
      resource.verification_methods = [verificationMethod(id, `bva_${random.letters(20)}`, script.findings)]
      if (status === 'completed') showResults(resource, script, random)
      else {
        resource.error = script.error
        resource.patient_coverage_status = 'unknown'
      }
      showPushed(resource, script.pushed)
      platform.emit({ organization, type: 'benefit_verification.status_change', resource })
      ended(record)
    },
  }
}

/** The call that gathered the benefits: a machine's with a transcript, or a person's with a recording. */
function verificationMethod(resourceId: string, id: string, { isCallFallback } = usualFindings) {
  const spoken = {
    id,
    type: 'ai_call',
    transcript: 'Sandbox call: no words were spoken.',
    recording_url: null,
  } as const
  if (!isCallFallback) return spoken
  const recording_url = pathOfFile({ resourceId, kind: 'recordings', name: `${id}.wav`, contentType: 'audio/wav' })
  return { id, type: 'call_fallback', transcript: null, recording_url } as const
}
