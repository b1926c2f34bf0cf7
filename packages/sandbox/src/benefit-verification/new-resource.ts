import {
  type BenefitVerificationRequest,
  type BenefitVerificationResource,
  type VerifiedDrug,
  type BenefitVerificationStatus,
} from 'pawl-client/schemas/benefit-verification'
import { withCountry } from '../files/country.ts'
import { insuranceRecords } from '../files/insurance-records.ts'
import type { ReadFile } from '../files/request-files.ts'
import type { Random } from '../platform/random.ts'

/** `status_description` by status. */
export const statusDescriptions: Record<BenefitVerificationStatus, string> = {
  pending: 'The benefits are being verified.',
  completed: 'The benefits were verified.',
  failed: 'The benefits could not be verified.',
  cancelled: 'The benefit verification was cancelled.',
}

/** The resource of a new BV. */
export function newBenefitVerification(
  id: string,
  request: BenefitVerificationRequest,
  random: Random,
  cards: readonly ReadFile[] = [],
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
    patient: withCountry(request.patient),
    provider: withCountry(request.provider),
    entity: request.entity ?? null,
    insurance: insuranceRecords(request, id, random, cards),
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
