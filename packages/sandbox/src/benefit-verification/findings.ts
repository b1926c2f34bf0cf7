import {
  patientCoverageStatuses,
  patientCoverageTypes,
  type BenefitVerificationRequest,
  type BenefitVerificationResource,
} from 'pawl-client/schemas/benefit-verification'
import type { Random } from '../platform/random.ts'
import { testValues } from '../platform/test-values.ts'

type CoverageStatus = NonNullable<BenefitVerificationResource['patient_coverage_status']>
type CoverageType = BenefitVerificationResource['patient_coverage_type']
type FundSource = BenefitVerificationResource['patient_plan_fund_source']

/** A BV's findings about the patient's plan. */
export interface Findings {
  coverageStatus: CoverageStatus
  fundSource: FundSource
  coverageType: CoverageType
  /** A person made the call instead of the machine. */
  isCallFallback: boolean
}

/** Findings of a BV with a given outcome. */
export const usualFindings: Findings = {
  coverageStatus: 'covered',
  fundSource: 'question_not_asked',
  coverageType: 'question_not_asked',
  isCallFallback: false,
}

/** Statuses of a patient without coverage; no drug is covered either. */
const uncovered: readonly CoverageStatus[] = [
  'patient_not_found',
  'coverage_expired',
  'coverage_not_started',
  'patient_not_covered_unspecified',
]
/** Statuses that leave the patient's coverage open. */
const undetermined = ['human_unable_to_answer', 'missing_from_transcript', 'unknown'] as const

/** Whether the patient has no coverage, so that no drug is covered. */
export function isUncovered({ coverageStatus }: Findings): boolean {
  return uncovered.includes(coverageStatus)
}

/** Types of coverage by source of funds; a choice, as the documents do not relate them. */
const typesBySource: Record<FundSource, readonly [CoverageType, ...CoverageType[]]> = {
  government: ['medicare', 'medicare_advantage', 'tricare', 'medicaid'],
  commercial: ['other'],
  unable_to_determine: ['unable_to_determine'],
  question_not_asked: ['question_not_asked'],
}

/** Decides the findings: by a test value in `member_number`, else by chance unless `isGiven`. Includes the source of funds only if requested. */
export function decideFindings(request: BenefitVerificationRequest, random: Random, isGiven: boolean): Findings {
  const asksFundSource = request.use_patient_plan_fund_source_check === true
  const [status, type] = wordsOf(request)
  const coverageStatus = status ?? (isGiven ? 'covered' : drawStatus(random.fork('coverage')))
  const draw = random.fork('fund_source')
  return {
    coverageStatus,
    ...(asksFundSource
      ? fundsOf(type, draw)
      : { fundSource: 'question_not_asked', coverageType: 'question_not_asked' }),
    isCallFallback: coverageStatus === 'human_unable_to_answer' || (!isGiven && random.fork('call').chance(0.1)),
  }
}

/** Whether the member number holds a test value for a finding. */
export function isCoverageRequested(request: BenefitVerificationRequest): boolean {
  return wordsOf(request)[0] !== undefined
}

function wordsOf({ insurance_content }: BenefitVerificationRequest) {
  const { member_number = '' } = insurance_content ?? {}
  if (!member_number.startsWith(testValues.patientCoverage)) return []
  const [status, type] = member_number.slice(testValues.patientCoverage.length).split(':')
  return [
    patientCoverageStatuses.find((one) => one === status),
    patientCoverageTypes.find((one) => one === type),
  ] as const
}

function fundsOf(type: CoverageType | undefined, random: Random): Pick<Findings, 'fundSource' | 'coverageType'> {
  const sources = ['commercial', 'government', 'unable_to_determine'] as const
  const named = sources.find((source) => type !== undefined && typesBySource[source].includes(type))
  const fundSource = named ?? random.pick(sources)
  return { fundSource, coverageType: type ?? random.pick(typesBySource[fundSource]) }
}

function drawStatus(random: Random): CoverageStatus {
  if (!random.chance(0.06)) return 'covered'
  return random.pick(['patient_not_found', 'coverage_expired', 'coverage_not_started', ...uncovered, ...undetermined])
}
