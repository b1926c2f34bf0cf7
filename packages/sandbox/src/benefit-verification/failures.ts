import {
  benefitVerificationErrorCodes,
  benefitVerificationErrorDetailCodes,
} from 'pawl-client/schemas/benefit-verification-errors'
import type { Random } from '../platform/random.ts'
import type { BenefitVerificationError } from 'pawl-client/schemas/benefit-verification'

type Code = BenefitVerificationError['code']
type DetailCode = BenefitVerificationError['detail_code']

/** Message and detail codes of each failure, default first. The pairing of codes and details is a choice. */
const reasons: Record<Code, readonly [message: string, detailCodes: readonly [DetailCode, ...DetailCode[]]]> = {
  'Patient Not Found': [
    'The plan does not know this patient.',
    ['incorrect_member_id', 'incorrect_dob', 'name_mismatch', 'expired'],
  ],
  'Insurance Card OCR Failure': [
    'The insurance card could not be read.',
    ['missing_member_id', 'medical_only_member_id'],
  ],
  'Insurance Unable to Provide Information': ['The insurance could not provide the information.', [null]],
  'Document Quality Error': ['A document is too poor to be read.', [null]],
  'Document Info Missing or Incorrect': [
    'A document lacks or misstates information that the plan requires.',
    ['incorrect_address', 'incorrect_phone_number', 'missing_tax_id', 'incorrect_tax_id', 'incorrect_npi'],
  ],
  'Unable to Route Call': ['No number of the plan led to its benefits department.', [null]],
  'Unable to Gather Benefits': ['The benefits could not be gathered.', [null]],
  'Internal Error': ['The verification was aborted by a fault.', [null]],
  'Provider Not Authorized': [
    'The provider has not authorized the organization.',
    [null, 'kaiser_prescriber_required'],
  ],
  'Patient Consent Required': [
    "The plan requires the patient's consent.",
    ['patient_consent_required', 'patient_declined_consent'],
  ],
}

/** Failures to draw from, frequent ones repeated. Unreadable cards, missing authorization and missing consent have their own causes. */
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

/** The error of a BV that fails with this code. */
export function failure(code: Code, detail_code: DetailCode = reasons[code][1][0]): BenefitVerificationError {
  const [message] = reasons[code]
  const detail_message = detail_code === null ? null : `${message} (${detail_code.replaceAll('_', ' ')})`
  return { title: code, code, detail_code, message, detail_message }
}

export function drawFailure(random: Random): BenefitVerificationError {
  const code = random.pick(drawn)
  return failure(code, random.pick(reasons[code][1]))
}

/** The failure named by a text such as `patient_not_found` or `patient_not_found:incorrect_dob`; undefined for any other. */
export function failureNamed(words: string): BenefitVerificationError | undefined {
  const [word, detail] = words.split(':')
  const code = benefitVerificationErrorCodes.find((one) => one.toLowerCase().replaceAll(' ', '_') === word)
  const detailCode = benefitVerificationErrorDetailCodes.find((one) => one === detail)
  return code && (detailCode === undefined ? failure(code) : failure(code, detailCode))
}
