import type { BenefitVerificationRequest } from '../../resources/requests/benefit-verification.ts'
import { type InsuranceRecord, insuranceRecords } from '../files/insurance-records.ts'
import type { BenefitVerificationStatus } from './states.ts'
import type { Random } from '../platform/random.ts'
import { type BenefitVerificationError, type CaseResult, caseResults, type BenefitVerificationPlan } from './script.ts'

/** One drug; null until the BV completes (supplement, BV). */
export interface VerifiedDrug {
  name: string | null
  dosage: string | null
  ndc: string | null
  quantity: number | null
  coverage: CaseResult['coverage'] | null
  coverage_detail_code: string | null
  prior_authorization_required: CaseResult['prior_authorization_required'] | null
  has_active_prior_auth: boolean | null
  copay: string | null
  copay_options: { amount_cents: number; supply_duration_days: number }[]
  determination_details: {
    is_on_formulary: boolean
    is_explicit_plan_exclusion: boolean
    is_prior_auth_acting_as_exception_request: boolean
  } | null
}

/** A BV as GET returns it (specification, BV resource; supplement, BV). */
export interface BenefitVerificationResource {
  id: string
  object: 'benefit_verification'
  status: BenefitVerificationStatus
  status_description: string
  review_status: 'reviewed' | 'not_reviewed'
  drugs: VerifiedDrug[]
  drug_history: BenefitVerificationRequest['drug_history'] | null
  diagnoses: NonNullable<BenefitVerificationRequest['diagnoses']>
  patient: BenefitVerificationRequest['patient']
  provider: BenefitVerificationRequest['provider']
  entity: BenefitVerificationRequest['entity'] | null
  insurance: InsuranceRecord[]
  patient_coverage_status: string | null
  verification_methods: {
    id: string
    type: 'ai_call' | 'call_fallback'
    transcript: string | null
    recording_url: string | null
  }[]
  patient_plan_fund_source: 'commercial' | 'government' | 'question_not_asked' | 'unable_to_determine'
  patient_coverage_type: string
  pharmacy_benefit_manager_name: string | null
  priority: number
  error: BenefitVerificationError | null
  replaces: string | null
  replaced_by: string | null
  triggered_by_pa_id: string | null
  mock_result: BenefitVerificationRequest['mock_result'] | null
}

/** `status_description` of each status. */
export const statusDescriptions: Record<BenefitVerificationStatus, string> = {
  pending: 'The benefits are being verified.',
  completed: 'The benefits were verified.',
  failed: 'The benefits could not be verified.',
  cancelled: 'The benefit verification was cancelled.',
}

/** The resource of a BV that was just accepted. */
export function newBenefitVerification(
  id: string,
  request: BenefitVerificationRequest,
  random: Random,
): BenefitVerificationResource {
  return {
    id,
    object: 'benefit_verification',
    status: 'pending',
    status_description: statusDescriptions.pending,
    review_status: 'not_reviewed',
    drugs: request.drugs.map(newDrug),
    drug_history: request.drug_history ?? null,
    diagnoses: request.diagnoses ?? [],
    patient: { ...request.patient, address: { country: 'US', ...request.patient.address } },
    provider: request.provider,
    entity: request.entity ?? null,
    insurance: insuranceRecords(request, id, random),
    patient_coverage_status: null,
    verification_methods: [],
    patient_plan_fund_source: 'question_not_asked',
    patient_coverage_type: 'question_not_asked',
    pharmacy_benefit_manager_name: null,
    priority: request.priority ?? 3,
    error: null,
    replaces: request.replaces ?? null,
    replaced_by: null,
    triggered_by_pa_id: null,
    mock_result: request.mock_result ?? null,
  }
}

function newDrug(drug: BenefitVerificationRequest['drugs'][number]): VerifiedDrug {
  const named = 'name' in drug
  return {
    name: named ? drug.name : null,
    dosage: named ? (drug.dosage ?? null) : null,
    ndc: named ? null : drug.ndc,
    quantity: drug.quantity ?? null,
    coverage: null,
    coverage_detail_code: null,
    prior_authorization_required: null,
    has_active_prior_auth: null,
    copay: null,
    copay_options: [],
    determination_details: null,
  }
}

/** Fills in what a completed BV found out. */
export function showResults(
  resource: BenefitVerificationResource,
  plan: BenefitVerificationPlan,
  random: Random,
): void {
  resource.patient_coverage_status = 'covered'
  resource.review_status = 'reviewed'
  resource.pharmacy_benefit_manager_name = 'Sample Benefits Management'
  if (plan.asksFundSource) {
    resource.patient_plan_fund_source = random.pick(['commercial', 'government', 'unable_to_determine'])
    resource.patient_coverage_type = resource.patient_plan_fund_source === 'government' ? 'medicare' : 'other'
  }
  resource.drugs.forEach((drug, index) => {
    const result = caseResults[plan.cases[index] ?? 'drugs_covered__prior_auth_required__has_copay']
    if (result !== undefined) showDrug(drug, result, random)
  })
}

function showDrug(drug: VerifiedDrug, result: CaseResult, random: Random): void {
  const { hasCopay, ...shown } = result
  const isCovered = result.coverage === 'covered'
  const cents = Math.round(random.between(5, 80)) * 100
  Object.assign(drug, shown)
  drug.coverage_detail_code = 'insurer_reported_value'
  drug.copay = hasCopay ? `$${(cents / 100).toFixed(2)}` : null
  drug.copay_options = hasCopay
    ? [
        { amount_cents: cents, supply_duration_days: 30 },
        { amount_cents: cents * 2, supply_duration_days: 90 },
      ]
    : []
  drug.determination_details = {
    is_on_formulary: isCovered,
    is_explicit_plan_exclusion: !isCovered,
    is_prior_auth_acting_as_exception_request: false,
  }
}
