import type { BenefitVerificationRequest } from '../service/schemas/benefit-verification.ts'
import type { PriorAuthorizationRequest } from '../service/schemas/prior-authorization-request.ts'
import { diagnoses, dispensing, ndpSubmission, patient, provider } from '../sandbox/sample-requests.ts'

// All people and data here are invented, easy to recognise, and unique in the tree.

/** The patient of the chart. */
export const person: PriorAuthorizationRequest['patient'] = {
  ...patient,
  internal_id: 'ZAUNKOENIG-0815',
  first_name: 'Zaunina',
  last_name: 'Koenigsprobe',
  date_of_birth: '1931-02-03',
  address: { ...patient.address, street: '7 Zaunkoenig Cage Lane' },
}

const memberNumber = 'ZAUN-MEMBER-4711'
const drugName = 'Zaunkoenigmycin'
const directions = 'Zaunkoenig directions: two drops at night'

/** Text of a message, different for each count. */
export function messageText(count: number): string {
  return `Zaunkoenig message ${count}: please call her daughter`
}

/** Values that must stay inside pawl, by a name that a report may show. */
export const privateValues = {
  'first name': person.first_name,
  'last name': person.last_name,
  'birth date': person.date_of_birth,
  'patient number': person.internal_id,
  street: person.address.street,
  'member number': memberNumber,
  drug: drugName,
  directions,
  message: 'Zaunkoenig message',
} as const

/** A request for a PA with this result, and with a transfer after approval or not. `count` makes its prescription unique. */
export function priorAuthorizationRequest(
  result: 'Approved' | 'Denied' | 'Not Submitted',
  isTransferred: boolean,
  count: number,
): PriorAuthorizationRequest {
  return {
    patient: person,
    provider,
    insurance_content: {
      member_number: memberNumber,
      rx_bin: '610011',
      rx_pcn: 'SAMPLE',
      payer_name: 'Example Health',
    },
    prescription: {
      drug_name: drugName,
      strength: '10 mg',
      dose_form: 'Injection, solution',
      route_of_administration: 'subcutaneous',
      ...dispensing,
      directions,
    },
    diagnoses,
    mock_result: { result },
    ...(isTransferred && { ndp_submission: { ...ndpSubmission, prescription_message_id: `rx-${count}` } }),
  }
}

/** A request for a BV of two drugs. */
export function benefitVerificationRequest(fails: boolean): BenefitVerificationRequest {
  return {
    patient: person,
    provider,
    insurance_content: { member_number: memberNumber, rx_bin: '610011' },
    drugs: [
      { name: drugName, dosage: '10 mg', quantity: 4 },
      { ndc: '12345-6789-01', quantity: 1 },
    ],
    ...(!fails && { mock_result: { status: 'completed', case: 'drugs_covered__prior_auth_required__has_copay' } }),
  }
}
