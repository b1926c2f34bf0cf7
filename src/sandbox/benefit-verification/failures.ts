import {
  benefitVerificationErrorCodes,
  benefitVerificationErrorDetailCodes,
} from '../../service/schemas/benefit-verification-errors.ts'
import type { Random } from '../platform/random.ts'
import type { BenefitVerificationError } from '../../service/schemas/benefit-verification.ts'

type Code = BenefitVerificationError['code']
type DetailCode = BenefitVerificationError['detail_code']

/** What each failure says, and its detail codes, the usual one first. Which detail goes with which code is a choice. */
const reasons: Record<Code, readonly [message: string, detailCodes: readonly [DetailCode, ...DetailCode[]]]> = {
  'Patient Not Found': [
    'The plan knows no such patient.',
    ['incorrect_member_id', 'incorrect_dob', 'name_mismatch', 'expired'],
  ],
  'Insurance Card OCR Failure': [
    'The insurance card could not be read.',
    ['missing_member_id', 'medical_only_member_id'],
  ],
  'Insurance Unable to Provide Information': ['The insurance could not provide the information.', [null]],
  'Document Quality Error': ['A document is too poor to be read.', [null]],
  'Document Info Missing or Incorrect': [
    'A document lacks what the plan asks for, or has it wrong.',
    ['incorrect_address', 'incorrect_phone_number', 'missing_tax_id', 'incorrect_tax_id', 'incorrect_npi'],
  ],
  'Unable to Route Call': ['No number of the plan led to its benefits department.', [null]],
  'Unable to Gather Benefits': ['The benefits could not be gathered.', [null]],
  'Internal Error': ['The verification was broken off by a fault.', [null]],
  'Provider Not Authorized': [
    'The provider has not authorized the organization.',
    [null, 'kaiser_prescriber_required'],
  ],
  'Patient Consent Required': [
    'The plan asks for the consent of the patient.',
    ['patient_consent_required', 'patient_declined_consent'],
  ],
}

/** Failures of chance, the frequent ones several times. A card that cannot be read, a missing authorization and a missing consent have causes of their own. */
const drawn = [
  'Unable to Gather Benefits',
  'Unable to Gather Benefits',
  'Unable to Gather Benefits',
  'Insurance Unable to Provide Information',
  'Insurance Unable to Provide Information',
  'Insurance Unable to Provide Information',
  'Patient Not Found',
  'Document Info Missing or Incorrect',
  'Document Quality Error',
  'Unable to Route Call',
  'Internal Error',
] as const satisfies readonly Code[]

/** The error of a BV that fails with this code; without a detail code, its usual one. */
export function failure(code: Code, detail_code: DetailCode = reasons[code][1][0]): BenefitVerificationError {
  const [message] = reasons[code]
  const detail_message = detail_code === null ? null : `${message} (${detail_code.replaceAll('_', ' ')})`
  return { title: code, code, detail_code, message, detail_message }
}

/** A failure of chance. */
export function drawFailure(random: Random): BenefitVerificationError {
  const code = random.pick(drawn)
  return failure(code, random.pick(reasons[code][1]))
}

/** The failure that `patient_not_found`, or `patient_not_found:incorrect_dob`, names; undefined where it names none. */
export function failureNamed(words: string): BenefitVerificationError | undefined {
  const [word, detail] = words.split(':')
  const code = benefitVerificationErrorCodes.find((one) => one.toLowerCase().replaceAll(' ', '_') === word)
  const detailCode = benefitVerificationErrorDetailCodes.find((one) => one === detail)
  return code && (detailCode === undefined ? failure(code) : failure(code, detailCode))
}
