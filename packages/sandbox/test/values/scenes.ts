import {
  benefitVerificationErrorCodes,
  benefitVerificationErrorDetailCodes,
} from '../../../client/src/schemas/benefit-verification-errors.ts'
import {
  patientCoverageStatuses,
  patientCoverageTypes,
  benefitVerificationCases,
} from '../../../client/src/schemas/benefit-verification.ts'
import { detailCodes, transferErrorCodes } from '../../../client/src/schemas/outcome.ts'
import { genders } from '../../../client/src/schemas/people.ts'
import type { PriorAuthorizationRequest } from '../../../client/src/schemas/prior-authorization-request.ts'
import { usState } from '../../../client/src/schemas/text.ts'
import { testValues } from '../../src/platform/test-values.ts'
import { benefitVerification, ndpSubmission, priorAuthorization } from '../requests.ts'

const { patient, prescription } = priorAuthorization()
const states = usState.options

/** The number-th person, so that every state and gender has a person. */
function person(number: number) {
  return {
    ...patient,
    gender: genders[number % genders.length] ?? 'other',
    address: { ...patient.address, state_province: states[number % states.length] ?? 'OR' },
  }
}

/** Requests of PAs that together reach what a request alone can. */
export function priorAuthorizations(): PriorAuthorizationRequest[] {
  const mocks = Object.entries(detailCodes).flatMap(([result, codes]) =>
    codes.map((detail_code) => ({ result, detail_code, ...(result === 'Denied' && { client_code: 'C-1' }) })),
  )
  const ndp = (word: string, more: object = {}) => ({ ...ndpSubmission, prescription_message_id: word, ...more })
  const fields: object[] = [
    ...mocks.map((mock_result) => ({ mock_result })),
    ...transferErrorCodes.map((code) => ({
      mock_result: { result: 'Approved', prescription_transfer_error_code: code },
    })),
    ...['medicare', 'medicare_advantage', 'medicaid', 'tricare'].map((type, index) => ({
      ndp_submission: ndp(`${testValues.governmentPlan}:${type}:rx`, {
        submit_pa_with_eligibility_check_government_plan: index % 2 === 0,
      }),
    })),
    ...['42', '71', '75'].map((code) => ({ ndp_submission: ndp(`${testValues.eligibilityError}:${code}:rx`) })),
    { ndp_submission: ndp('rx-ignoring', { ignore_eligibility_check_error: true }) },
    { mock_result: { result: 'Other', trigger_message: true } },
    { mock_result: { result: 'Other', trigger_message: false } },
    { prescription: { ...prescription, drug_name: testValues.formularyAlternative[0] }, mock_result: undefined },
    // Chance decides: without a result, there are both words for an approval.
    ...Array.from({ length: 24 }, () => ({ mock_result: undefined })),
  ]
  return fields.map((each, index) => {
    const ndp_submission = ndp(`rx-${index}`)
    return priorAuthorization({ patient: person(index), ndp_submission, ...each })
  })
}

/** Requests of BVs that together reach what a request alone can. */
export function benefitVerifications() {
  const named = (member_number: string, more: object = {}) => ({ insurance_content: { member_number }, ...more })
  const asking = { use_patient_plan_fund_source_check: true }
  const snake = (text: string) => text.toLowerCase().replaceAll(' ', '_')
  const fields: object[] = [
    ...benefitVerificationCases.flatMap((one) => [
      { mock_result: { status: 'completed', case: one } },
      { mock_result: { status: 'failed', case: one } },
    ]),
    ...benefitVerificationErrorCodes.map((code) => named(`${testValues.verificationError}${snake(code)}`)),
    ...benefitVerificationErrorDetailCodes.map((code) =>
      named(`${testValues.verificationError}document_info_missing_or_incorrect:${code}`),
    ),
    ...patientCoverageStatuses.map((status) => named(`${testValues.patientCoverage}${status}`)),
    ...patientCoverageTypes.map((type) => named(`${testValues.patientCoverage}covered:${type}`, asking)),
    { drugs: [testValues.diagnosesNotCovered, testValues.quantityLimit].map(([name]) => ({ name })) },
    { drugs: [testValues.diagnosesNotCovered, testValues.quantityLimit].map(([, ndc]) => ({ ndc })) },
    { preferred_processing_mode: 'realtime' },
  ]
  return fields.map((each, index) => benefitVerification({ patient: person(index), ...each }))
}

/** Requests of clinical qualifications, one for each state that a patient can live in. */
export function clinicalQualifications() {
  const { provider } = priorAuthorization()
  const drugs = ['Examplumab', testValues.unqualified, testValues.unknownQualification].map((drug_name) => ({
    drug_name,
  }))
  const visit_notes = [{ content: 'Seen.', date_created: '2026-01-01T10:00:00' }]
  return states.map((_state, index) => ({ patient: person(index), provider, drugs, ...(index > 0 && { visit_notes }) }))
}
