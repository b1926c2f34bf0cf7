import {
  type BenefitVerificationCase,
  benefitVerificationCases,
  type BenefitVerificationRequest,
  type BenefitVerificationError,
} from 'pawl-client/schemas/benefit-verification'
import { type CoverageDetailCode, drawDetailCode, requestedDetail } from './drug-findings.ts'
import { drawFailure, failure, failureNamed } from './failures.ts'
import { decideFindings, type Findings, isCoverageRequested, isUncovered } from './findings.ts'
import type { PushedResult } from './pushed-result.ts'
import { isMarkedCard } from '../files/insurance-records.ts'
import type { Random } from '../platform/random.ts'
import { testValues } from '../platform/test-values.ts'

/** How a BV ends, decided at creation. */
export interface BenefitVerificationScript {
  isRealTime: boolean
  /** One per drug. */
  cases: BenefitVerificationCase[]
  /** `coverage_detail_code` per drug. */
  detailCodes?: CoverageDetailCode[]
  /** Null if it completes. */
  error: BenefitVerificationError | null
  findings?: Findings
  /** A control's result, which overrides the rest. */
  pushed?: PushedResult
}

/** Fields of a drug in one case (supplement, BV). */
export interface CaseResult {
  coverage: 'covered' | 'not_covered'
  prior_authorization_required: 'yes' | 'no' | 'not_applicable'
  hasCopay: boolean
  has_active_prior_auth: boolean
}

const covered = { coverage: 'covered', hasCopay: true, has_active_prior_auth: false } as const

/** Results by `mock_result.case`. Missing consent fails the whole BV, so its drugs have none. */
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

/** Default error of a BV pushed to `failed`. */
export const unableToGather = failure('Unable to Gather Benefits')

/** Decides how a BV ends: by test values in its request, else by its PA or `mock_result`, else by an obstacle, else by chance for each drug. */
export function decideBenefitVerification(
  request: BenefitVerificationRequest,
  random: Random,
  { isAuthorized, cases }: { isAuthorized: boolean; cases: BenefitVerificationCase[] | undefined },
): BenefitVerificationScript {
  const mock = request.mock_result
  const isGiven = mock !== undefined || cases !== undefined
  const drawn = cases ?? request.drugs.map(() => mock?.case ?? drawCase(random))
  const error = requestedFailure(request) ?? errorOf(request, random, cases === undefined, isAuthorized)
  const findings = decideFindings(request, random, isGiven)
  const asked = request.drugs.map(requestedDetail)
  const decided = drawn.map((each, index) => (isUncovered(findings) ? uncoveredCase : (asked[index]?.case ?? each)))
  return {
    isRealTime: ['realtime', 'realtime_only'].includes(request.preferred_processing_mode ?? ''),
    cases: decided,
    error,
    findings,
    detailCodes: decided.map((each, index) => {
      const result = caseResults[each]
      if (isGiven || isUncovered(findings) || result === undefined) return asked[index]?.detailCode ?? reported
      return asked[index]?.detailCode ?? drawDetailCode(result, random.fork(`detail/${index}`))
    }),
  }
}

const uncoveredCase: BenefitVerificationCase = 'drugs_not_covered__prior_auth_na__no_copay'
const reported: CoverageDetailCode = 'insurer_reported_value'

/** The failure named by a test value in the member number. */
function requestedFailure({ insurance_content }: BenefitVerificationRequest): BenefitVerificationError | undefined {
  const { member_number = '' } = insurance_content ?? {}
  if (!member_number.startsWith(testValues.verificationError)) return undefined
  return failureNamed(member_number.slice(testValues.verificationError.length))
}

function errorOf(
  request: BenefitVerificationRequest,
  random: Random,
  isOpen: boolean,
  isAuthorized: boolean,
): BenefitVerificationError | null {
  if (request.mock_result !== undefined) return mockedError(request.mock_result)
  if (!isOpen) return null
  if (!isAuthorized) return failure('Provider Not Authorized')
  const asksForMore = isCoverageRequested(request) || request.drugs.some((drug) => requestedDetail(drug) !== undefined)
  return unreadableCards(request) ?? (asksForMore ? null : drawError(random))
}

/** The error of a request without a readable card or other insurance data. */
function unreadableCards({ insurance = [], insurance_content }: BenefitVerificationRequest) {
  const isBlank = insurance.length > 0 && insurance.every((card) => isMarkedCard(card, testValues.unreadableCard))
  return isBlank && insurance_content === undefined ? failure('Insurance Card OCR Failure') : undefined
}

/** A case that cannot complete fails even when `completed` was requested. */
function mockedError({ status, case: mocked }: NonNullable<BenefitVerificationRequest['mock_result']>) {
  if (mocked === 'patient_consent_required') return failure('Patient Consent Required')
  return status === 'failed' ? unableToGather : null
}

function drawError(random: Random): BenefitVerificationError | null {
  return random.chance(0.1) ? drawFailure(random.fork('failure')) : null
}

function drawCase(random: Random): BenefitVerificationCase {
  const drawn = random.pick(benefitVerificationCases)
  return caseResults[drawn] === undefined ? 'drugs_covered__prior_auth_required__has_copay' : drawn
}
