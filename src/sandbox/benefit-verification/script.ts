import {
  type BenefitVerificationCase,
  benefitVerificationCases,
  type BenefitVerificationRequest,
} from '../../resources/requests/benefit-verification.ts'
import type { BenefitVerificationError } from './resource.ts'
import { isMarkedCard } from '../files/insurance-records.ts'
import type { Random } from '../platform/random.ts'
import { testValues } from '../platform/test-values.ts'

/** How a BV ends, decided at creation. */
export interface BenefitVerificationScript {
  isRealTime: boolean
  asksFundSource: boolean
  /** One per drug. */
  cases: BenefitVerificationCase[]
  /** Null when it completes. */
  error: BenefitVerificationError | null
}

/** What a drug shows in each case (supplement, BV). */
export interface CaseResult {
  coverage: 'covered' | 'not_covered'
  prior_authorization_required: 'yes' | 'no' | 'not_applicable'
  hasCopay: boolean
  has_active_prior_auth: boolean
}

const covered = { coverage: 'covered', hasCopay: true, has_active_prior_auth: false } as const

/** What each `mock_result.case` shows. Missing consent fails the whole BV, so its drugs show nothing. */
export const caseResults: Record<BenefitVerificationCase, CaseResult | undefined> = {
  drugs_covered__prior_auth_required__has_copay: { ...covered, prior_authorization_required: 'yes' },
  drugs_covered__prior_auth_required__no_copay: { ...covered, prior_authorization_required: 'yes', hasCopay: false },
  drugs_covered__prior_auth_not_required__has_copay: { ...covered, prior_authorization_required: 'no' },
  drugs_covered__prior_auth_not_required__no_copay: { ...covered, prior_authorization_required: 'no', hasCopay: false },
  drugs_not_covered__prior_auth_na__no_copay: {
    coverage: 'not_covered',
    prior_authorization_required: 'not_applicable',
    hasCopay: false,
    has_active_prior_auth: false,
  },
  patient_consent_required: undefined,
  reverification__existing_pa: { ...covered, prior_authorization_required: 'yes', has_active_prior_auth: true },
  reverification__no_existing_pa: { ...covered, prior_authorization_required: 'yes' },
}

const consentRequired = failure(
  'Patient Consent Required',
  'patient_consent_required',
  'The plan asks for the consent of the patient.',
)
/** The error of a BV that is pushed to `failed`. */
export const unableToGather = failure('Unable to Gather Benefits', null, 'The benefits could not be gathered.')
const unreadable = failure('Insurance Card OCR Failure', 'missing_member_id', 'The insurance card could not be read.')
const notAuthorized = failure('Provider Not Authorized', null, 'The provider has not authorized the organization.')
const failures = [
  unableToGather,
  failure('Insurance Unable to Provide Information', null, 'The insurance could not provide the information.'),
] as const

function failure(code: string, detail_code: string | null, message: string): BenefitVerificationError {
  return { title: code, code, detail_code, message, detail_message: detail_code && message }
}

/** Decides how a BV ends: as its PA or `mock_result` says, else by what blocks it, else by chance, drug by drug. */
export function decideBenefitVerification(
  request: BenefitVerificationRequest,
  random: Random,
  { isAuthorized, cases }: { isAuthorized: boolean; cases: BenefitVerificationCase[] | undefined },
): BenefitVerificationScript {
  const mock = request.mock_result
  return {
    isRealTime: ['realtime', 'realtime_only'].includes(request.preferred_processing_mode ?? ''),
    asksFundSource: request.use_patient_plan_fund_source_check ?? false,
    cases: cases ?? request.drugs.map(() => mock?.case ?? drawCase(random)),
    error: errorOf(request, random, cases === undefined, isAuthorized),
  }
}

function errorOf(
  request: BenefitVerificationRequest,
  random: Random,
  isOpen: boolean,
  isAuthorized: boolean,
): BenefitVerificationError | null {
  if (request.mock_result !== undefined) return mockedError(request.mock_result)
  if (!isOpen) return null
  return isAuthorized ? (unreadableCards(request) ?? drawError(random)) : notAuthorized
}

/** The error of a request that has no readable card and no other insurance data. */
function unreadableCards({ insurance = [], insurance_content }: BenefitVerificationRequest) {
  const isBlank = insurance.length > 0 && insurance.every((card) => isMarkedCard(card, testValues.unreadableCard))
  return isBlank && insurance_content === undefined ? unreadable : undefined
}

/** A case that cannot complete fails even when `completed` was requested. */
function mockedError({ status, case: mocked }: NonNullable<BenefitVerificationRequest['mock_result']>) {
  if (mocked === 'patient_consent_required') return consentRequired
  return status === 'failed' ? unableToGather : null
}

function drawError(random: Random): BenefitVerificationError | null {
  return random.chance(0.1) ? random.pick(failures) : null
}

function drawCase(random: Random): BenefitVerificationCase {
  const drawn = random.pick(benefitVerificationCases)
  return caseResults[drawn] === undefined ? 'drugs_covered__prior_auth_required__has_copay' : drawn
}
