import type { PriorAuthorizationRequest } from 'pawl-client/schemas/prior-authorization-request'
import { withCountry } from '../files/country.ts'
import { mediaTypes, pathOfUpload } from '../files/served-file.ts'
import { insuranceRecords } from '../files/insurance-records.ts'
import type { ReadFile, RequestFiles } from '../files/request-files.ts'
import type { Random } from '../platform/random.ts'
import { pendingOutcome } from './pa-verdict.ts'
import type { PriorAuthorizationResource } from 'pawl-client/schemas/prior-authorization'

/** The resource of a new PA, with files by URL and defaults filled in. */
export function newPriorAuthorization(
  id: string,
  request: PriorAuthorizationRequest,
  files: RequestFiles,
  random: Random,
): PriorAuthorizationResource {
  const { patient, provider, prescription, diagnoses = [], questionnaires = [], visit_notes = [] } = request
  return {
    id,
    object: 'prior_authorization',
    url: `https://app.sandbox.invalid/prior-authorizations/${id}`,
    status: 'created',
    outcome: pendingOutcome,
    patient: withCountry(patient),
    provider: withCountry(provider),
    insurance: insuranceRecords(request, id, random, files.cards),
    prescription: 'ndc' in prescription ? { quantity_unit_of_measure: 'C38046', ...prescription } : prescription,
    diagnoses,
    evidence: (request.evidence ?? []).map((item, index) => evidenceOf(id, item, index, files.evidence[index])),
    questionnaires,
    visit_notes,
    pharmacy: request.pharmacy === undefined ? null : withCountry(request.pharmacy),
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

function evidenceOf(
  id: string,
  item: NonNullable<PriorAuthorizationRequest['evidence']>[number],
  index: number,
  file: ReadFile | null | undefined,
) {
  const { asset, ...rest } = item
  if (asset === undefined) return rest
  const url = pathOfUpload(id, 'evidence', index, file)
  return { ...rest, asset: { url, file_type: file ? mediaTypes[file.format] : null } }
}
