import type { BenefitVerification } from '../../../client/src/schemas/benefit-verification.ts'
import { sampleBenefitVerification } from '../../../../test/support/samples.ts'
import { people } from './people.ts'

/** One BV, snapshot after snapshot, as the service shows it. */
export interface BenefitVerificationCase {
  kind: 'benefit_verification'
  /** Index of `people`. */
  person: number
  snapshots: readonly [BenefitVerification, ...BenefitVerification[]]
}

const failure = {
  title: 'Benefits not found',
  code: 'Unable to Gather Benefits',
  message: 'The insurer gave no information by telephone.',
}

const ends: readonly Record<string, unknown>[] = [
  { status: 'completed', patient_coverage_status: 'covered' },
  // The first patient's insurance a second time.
  { person: 0, status: 'completed', patient_coverage_status: 'covered' },
  { person: 2, status: 'completed', patient_coverage_status: 'coverage_expired' },
  { person: 3, status: 'completed', patient_coverage_status: 'coverage_not_started' },
  { person: 1, status: 'completed', patient_coverage_status: 'patient_not_found' },
  { person: 1, status: 'completed', patient_coverage_status: 'human_unable_to_answer' },
  { status: 'failed', error: failure },
  { status: 'cancelled' },
  { status: 'pending' },
]

/** BVs of several drugs through every documented status, and what they can say of the coverage. */
export function benefitVerificationCases(): BenefitVerificationCase[] {
  return ends.map(({ person, ...end }, index) => {
    const who = typeof person === 'number' ? person : index % people.length
    const pending = snapshot(index, who, { status: 'pending', status_description: 'In progress.' })
    const isPending = end.status === 'pending'
    return {
      kind: 'benefit_verification',
      person: who,
      snapshots: isPending ? [pending] : [pending, snapshot(index, who, end)],
    }
  })
}

function snapshot(index: number, who: number, different: Record<string, unknown>): BenefitVerification {
  const { mrn, internalId, birthDate, name } = people[who] ?? people[0]
  const [first_name, last_name] = name.split(' ')
  const drug = (letter: string) => `Verifine-${String(index + 1).padStart(2, '0')}${letter}`
  const results = [
    {
      coverage: 'covered',
      coverage_detail_code: 'insurer_reported_value',
      prior_authorization_required: 'yes',
      determination_details: { is_on_formulary: true, is_explicit_plan_exclusion: false },
      copay_options: [
        { amount_cents: 1999 + index, supply_duration_days: 30 },
        { amount_cents: 4999 + index, supply_duration_days: 90 },
      ],
    },
    {
      coverage: 'covered',
      prior_authorization_required: 'no',
      copay_options: [{ amount_cents: 500, supply_duration_days: 30 }],
    },
    {
      coverage: 'not_covered',
      coverage_detail_code: 'diagnoses_not_covered',
      prior_authorization_required: 'not_applicable',
      determination_details: { is_on_formulary: false, is_explicit_plan_exclusion: true },
    },
  ]
  const isOver = different.status === 'completed'
  return sampleBenefitVerification({
    id: `bv_${index + 1}`,
    patient: { mrn, internal_id: internalId, date_of_birth: birthDate, first_name, last_name },
    insurance: [{ discrete_content: { member_number: `M-${'1'.repeat(who + 1)}`, payer_name: 'Sample Payer' } }],
    diagnoses: [{ code: 'E11.9' }],
    patient_coverage_status: undefined,
    drugs: results.map((result, at) => ({
      name: drug('xyz'[at] ?? ''),
      dosage: `${at + 2}5 mg`,
      quantity: 14 * (at + 1),
      ...(isOver && result),
    })),
    ...different,
  })
}
