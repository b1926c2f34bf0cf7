import { BenefitVerification } from 'pawl-client/schemas/benefit-verification'
import { type Overrides, withOverrides } from './overrides.ts'
import { inventedInsurance, inventedPatient, inventedProvider } from './invented-people.ts'
import { refuse } from './refuse.ts'

const drug = { name: 'Exampline', dosage: '10 mg', quantity: 30 }

const result = {
  coverage: 'covered',
  coverage_detail_code: 'insurer_reported_value',
  prior_authorization_required: 'yes',
  copay: '$19.99',
  copay_options: [
    { amount_cents: 1999, supply_duration_days: 30 },
    { amount_cents: 4999, supply_duration_days: 90 },
  ],
  determination_details: { is_on_formulary: true, is_explicit_plan_exclusion: false },
}

/** Fields that follow from a status. */
const byStatus: Record<string, object> = {
  pending: { status_description: 'The benefits are being verified.' },
  completed: { status_description: 'All drugs were verified.', patient_coverage_status: 'covered' },
  failed: {
    status_description: 'The benefits could not be verified.',
    error: { title: 'Patient not found', code: 'Patient Not Found', message: 'The payer does not know the patient.' },
  },
  cancelled: { status_description: 'The verification was cancelled.' },
}

/** A BV of an invented patient as handlers get it, completed by default. Fills in each drug by status. Throws TypeError where the service would never send it. */
export function aBenefitVerification(different: Overrides<BenefitVerification> = {}): BenefitVerification {
  const status = different.status ?? (different.error ? 'failed' : 'completed')
  const usualDrug = status === 'completed' ? { ...drug, ...result } : drug
  const { drugs = [{}], ...others } = different
  const filled = {
    id: 'bv_1',
    object: 'benefit_verification',
    status,
    patient: inventedPatient,
    provider: inventedProvider,
    insurance: inventedInsurance,
    diagnoses: [{ code: 'E11.9' }],
    ...byStatus[status],
    drugs: drugs === null ? null : drugs.map((each) => withOverrides(usualDrug, each)),
  }
  const built = BenefitVerification.parse(withOverrides(filled, others))
  refuse('benefit verification', [
    (built.status === 'failed') !== (built.error !== undefined) &&
      'A BV has an error if and only if its status is failed: give both, or neither.',
    built.status !== 'completed' &&
      built.patient_coverage_status !== undefined &&
      'Only a completed BV has a coverage status: leave out patient_coverage_status.',
    built.status !== 'completed' &&
      built.drugs?.some(({ coverage }) => coverage !== undefined) === true &&
      'Only a completed BV has coverage: leave out the coverage of its drugs.',
  ])
  return built
}
