import { BenefitVerification } from '../../packages/client/src/schemas/benefit-verification.ts'
import { PriorAuthorization } from '../../packages/client/src/schemas/prior-authorization.ts'
import { aBenefitVerification } from '../../packages/testing/src/a-benefit-verification.ts'
import { aMessage } from '../../packages/testing/src/a-message.ts'
import { aPriorAuthorization } from '../../packages/testing/src/a-prior-authorization.ts'
import { aTransfer } from '../../packages/testing/src/a-transfer.ts'

export { inventedPatient as samplePatient } from '../../packages/testing/src/invented-people.ts'

const { id, object, status, outcome, patient, provider, insurance, diagnoses, prescription } = aPriorAuthorization()

/** A PA in any state, possible or not: the kit's usual one with whole fields replaced. */
export function samplePriorAuthorization(different: Record<string, unknown> = {}): PriorAuthorization {
  const usual = { id, object, status, outcome, patient, provider, insurance, diagnoses, prescription }
  return PriorAuthorization.parse({
    ...usual,
    ndp_submission: { preferred_pharmacy_ncpdp_id: '1234567' },
    ...different,
  })
}

/** A BV in any state, possible or not: the kit's usual one with whole fields replaced. */
export function sampleBenefitVerification(different: Record<string, unknown> = {}): BenefitVerification {
  return BenefitVerification.parse({ ...aBenefitVerification({ diagnoses: null }), ...different })
}

/** A transfer in any state, possible or not: the kit's usual one with whole fields replaced. */
export function sampleTransfer(different: Record<string, unknown> = {}): Record<string, unknown> {
  const transfer_attempts = [{ timestamp: '2026-03-01T10:00:00Z', pharmacy_ncpdp_id: '7654321' }]
  return { ...aTransfer({ transfer_attempts }), ...different }
}

/** A message with an attachment: the kit's usual one with whole fields replaced. */
export function sampleMessage(different: Record<string, unknown> = {}): Record<string, unknown> {
  const attachments = [{ id: 'att_1', file_name: 'form.pdf', url: 'https://files.example/form.pdf' }]
  return { ...aMessage({ attachments }), ...different }
}
