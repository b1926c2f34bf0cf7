import { createHash } from 'node:crypto'
import type { BenefitVerification, PriorAuthorization } from '#pawl'

/** Row of one PA or BV: codes and numbers, nothing about patient, prescriber, drug or payer. */
export interface ReportRow {
  /** SHA-256 of the service's id. */
  id: string
  kind: 'prior_authorization' | 'benefit_verification'
  status: string
  has_ended: boolean
  /** For a PA its outcome's result, for a BV the patient's coverage status. */
  result: string | null
  /** For a PA its outcome's code, for a BV its error's code. */
  detail_code: string | null
  is_appeal: boolean | null
  /** The `id` of the PA that this one follows. */
  previous_id: string | null
  transfer_status: string | null
  transfer_error_code: string | null
  drugs: number | null
  drugs_covered: number | null
  drugs_requiring_pa: number | null
}

/** The row of a PA. While it runs, its outcome is a placeholder and is left out. */
export function rowOfPriorAuthorization(pa: PriorAuthorization): ReportRow {
  const { status, outcome, is_appeal, resubmission_info, prescription_transfer: transfer } = pa
  const has_ended = ['completed', 'failed', 'not_submitted', 'cancelled'].includes(status)
  const previous = resubmission_info?.previous_prior_auth_request_id
  return {
    ...none,
    id: hashOf(pa.id),
    kind: 'prior_authorization',
    status: codeOf(status) ?? 'unknown',
    has_ended,
    result: has_ended ? codeOf(outcome?.result) : null,
    detail_code: has_ended ? codeOf(outcome?.detail_code) : null,
    is_appeal: is_appeal ?? null,
    previous_id: previous === undefined ? null : hashOf(previous),
    transfer_status: codeOf(transfer?.status),
    transfer_error_code: codeOf(transfer?.error_code),
  }
}

/** The row of a BV. */
export function rowOfBenefitVerification(bv: BenefitVerification): ReportRow {
  const { status, drugs = [] } = bv
  return {
    ...none,
    id: hashOf(bv.id),
    kind: 'benefit_verification',
    status: codeOf(status) ?? 'unknown',
    has_ended: ['completed', 'failed', 'cancelled'].includes(status),
    result: codeOf(bv.patient_coverage_status),
    detail_code: codeOf(bv.error?.detail_code ?? bv.error?.code),
    drugs: drugs.length,
    drugs_covered: drugs.filter(({ coverage }) => coverage === 'covered').length,
    drugs_requiring_pa: drugs.filter((drug) => drug.prior_authorization_required === 'yes').length,
  }
}

const none = {
  result: null,
  detail_code: null,
  is_appeal: null,
  previous_id: null,
  transfer_status: null,
  transfer_error_code: null,
  drugs: null,
  drugs_covered: null,
  drugs_requiring_pa: null,
}

/** Ids of the service are long and random, so a hash cannot be reversed by guessing. */
function hashOf(id: string): string {
  return createHash('sha256').update(id).digest('hex')
}

/** A code of the service, known or new; longer text may be a sentence and reads `unreadable`. */
function codeOf(value: string | undefined): string | null {
  if (value === undefined) return null
  return /^[\w -]{1,60}$/.test(value) ? value : 'unreadable'
}
