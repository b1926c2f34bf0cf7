import type { PriorAuthorizationRequest } from '../../resources/requests/prior-authorization.ts'
import type { EvidenceTypes } from '../files/ingest-evidence.ts'
import { type InsuranceRecord, insuranceRecords } from '../files/insurance-records.ts'
import type { PriorAuthorizationStatus } from './states.ts'
import type { publicStatus, TransferState } from './transfer-states.ts'
import type { Random } from '../platform/random.ts'
import type { BenefitsCheckResponse } from './benefits-check.ts'
import type { EligibilityItem } from './eligibility.ts'
import { type Outcome, pendingOutcome } from './outcome.ts'

/** One entry of `message_thread.messages` (supplement, PA resource). */
export interface Message {
  id: string
  timestamp: string
  content: string
  sent_by_name: string
  direction: 'sent' | 'received'
  is_resolution: boolean
  attachments: { id: string; file_name: string; url: string }[]
}

/** `prescription_transfer` (supplement, PA resource). */
export interface PrescriptionTransfer {
  status: (typeof publicStatus)[TransferState]
  confirmed: boolean
  error_code: string | null
  transfer_attempts: { timestamp: string; pharmacy_ncpdp_id: string }[]
  confirmation_attempts: { timestamp: string; outcome: 'success' | 'failed' }[]
}

/** One entry of `activity_log` (supplement, PA resource). */
export interface Activity {
  id: string
  created_at: string
  type: 'sent_fax' | 'received_fax' | 'follow_up_call'
  details: { url: string } | { notes: string; recording_url: string | null; transcript: string | null }
}

interface Person {
  first_name: string
  last_name: string
  email: string
}

type Submitted = Pick<
  PriorAuthorizationRequest,
  'patient' | 'provider' | 'prescription' | 'questionnaires' | 'visit_notes' | 'diagnoses'
>

/** A PA as GET returns it (specification, PA resource; supplement, further fields). */
export interface PriorAuthorizationResource extends Submitted {
  id: string
  object: 'prior_authorization'
  url: string
  status: PriorAuthorizationStatus
  outcome: Outcome
  insurance: InsuranceRecord[]
  evidence: unknown[]
  pharmacy: PriorAuthorizationRequest['pharmacy'] | null
  priority: number
  ndp_submission: NonNullable<PriorAuthorizationRequest['ndp_submission']> | null
  resubmission_info: PriorAuthorizationRequest['resubmission_info'] | null
  is_appeal: boolean
  patient_consent_required: boolean
  submitted_by: Person | null
  reviewed_by: Person | null
  triggered_benefit_verification_id: string | null
  mock_result: PriorAuthorizationRequest['mock_result'] | null
  out_of_pocket_costs: { amount_cents: number; supply_duration_days: number }[]
  denial_reason_analysis: {
    categories: string[]
    explanation: string
    next_steps: string[]
    next_steps_explanation: string
  } | null
  message_thread: { is_resolved: boolean; messages: Message[] }
  activity_log: Activity[]
  prescription_transfer: PrescriptionTransfer | null
  real_time_benefits_check_response: BenefitsCheckResponse | null
  eligibility_check_response: EligibilityItem[] | null
}

/** The resource of a PA that was just accepted. Files are not shown but referred to; defaults are filled in. */
export function newPriorAuthorization(
  id: string,
  request: PriorAuthorizationRequest,
  evidenceTypes: EvidenceTypes,
  random: Random,
): PriorAuthorizationResource {
  const { patient, provider, prescription, diagnoses = [], questionnaires = [], visit_notes = [] } = request
  return {
    id,
    object: 'prior_authorization',
    url: `https://app.sandbox.invalid/prior-authorizations/${id}`,
    status: 'created',
    outcome: pendingOutcome,
    patient: { ...patient, address: { country: 'US', ...patient.address } },
    provider,
    insurance: insuranceRecords(request, id, random),
    prescription: 'ndc' in prescription ? { quantity_unit_of_measure: 'C38046', ...prescription } : prescription,
    diagnoses,
    evidence: (request.evidence ?? []).map((item, index) =>
      shownEvidence(id, item, index, evidenceTypes[index] ?? null),
    ),
    questionnaires,
    visit_notes,
    pharmacy: request.pharmacy ?? null,
    priority: request.priority ?? 2,
    ndp_submission: request.ndp_submission ?? null,
    resubmission_info: request.resubmission_info ?? null,
    is_appeal: request.appeal_details !== undefined,
    patient_consent_required: false,
    submitted_by: null,
    reviewed_by: null,
    triggered_benefit_verification_id: null,
    mock_result: request.mock_result ?? null,
    out_of_pocket_costs: [],
    denial_reason_analysis: null,
    message_thread: { is_resolved: false, messages: [] },
    activity_log: [],
    prescription_transfer: null,
    real_time_benefits_check_response: null,
    eligibility_check_response: null,
  }
}

function shownEvidence(
  id: string,
  item: NonNullable<PriorAuthorizationRequest['evidence']>[number],
  index: number,
  fileType: string | null,
) {
  const { asset, ...rest } = item
  if (asset === undefined) return rest
  const url = asset.file_url ?? `https://files.sandbox.invalid/${id}/evidence/${index}`
  return { ...rest, asset: { url, file_type: fileType } }
}
