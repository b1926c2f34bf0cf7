import type { BenefitVerificationRequest } from 'pawl-client/schemas/benefit-verification'
import type { ClinicalQualificationRequest } from 'pawl-client/schemas/clinical-qualification'
import type { PaStatusRequest } from 'pawl-client/schemas/pa-status'
import type { PatientEnrollmentRequest } from 'pawl-client/schemas/patient-enrollment'
import type {
  FeedbackRequest,
  NdpSubmissionUpdateRequest,
  PriorAuthorizationCancelRequest,
  PriorAuthorizationRequest,
} from 'pawl-client/schemas/prior-authorization-request'
import type { ProviderAuthorizationRequest, ProviderLookupRequest } from 'pawl-client/schemas/provider'
import * as sample from '../sample-requests.ts'

const patient = { ...sample.patient, phone: '5555550100' }

const provider = {
  ...sample.provider,
  address: {
    street: '2 Example Way',
    city: 'Sampleton',
    state_province: 'OR',
    zip_postal_code: '97001',
    country: 'US',
  },
  fax: '5555550101',
  email: 'max.muster@example.com',
}

const insurance_content = {
  ...sample.insuranceContent,
  payer_name: 'Sample Health Plan',
  plan_name: 'Sample PPO',
}

const visit_notes = [{ content: 'Diet and exercise for six months.', date_created: '2026-02-20T10:30:00' }]
const questionnaires = [
  { questions: [{ question: 'Used before?', answer: 'No' }], date_created: '2026-02-20T10:40:00' },
]

/** A BV of two drugs, one by name and one by NDC. */
export const benefitVerification: BenefitVerificationRequest = {
  patient,
  provider,
  insurance_content,
  drugs: [
    { name: 'Examplumab', dosage: '10 mg', quantity: 4 },
    { ndc: '12345-6789-01', quantity: 30 },
  ],
  diagnoses: sample.diagnoses,
  drug_history: { currently_taking_drugs: [{ name: 'Placebol' }], previously_taken_drugs: [] },
  priority: 3,
  mock_result: { status: 'completed', case: 'drugs_covered__prior_auth_required__has_copay' },
}

export const clinicalQualification: ClinicalQualificationRequest = {
  patient,
  provider,
  drugs: [
    {
      drug_name: 'Examplumab',
      strength: '10 mg',
      dose_form: 'Injection, solution',
      route_of_administration: 'subcutaneous',
      directions: 'once a week',
      quantity: 4,
      days_supply: 28,
    },
  ],
  diagnoses: sample.diagnoses,
  visit_notes,
  questionnaires,
  evidence: [{ title: 'Weight', date_created: '2026-02-20T10:30:00', content: { kilograms: 120 } }],
}

/** A PA by drug name, mocked as approved, with a transfer to a pharmacy. */
export const priorAuthorization: PriorAuthorizationRequest = {
  patient,
  provider,
  insurance_content,
  prescription: sample.prescription,
  diagnoses: sample.diagnoses,
  evidence: [{ title: 'Weight', date_created: '2026-02-20T10:30:00Z', content: { kilograms: 120 } }],
  visit_notes,
  questionnaires,
  ndp_submission: {
    ...sample.ndpSubmission,
    prescription_message_id: 'rx-0001',
    ignore_eligibility_check_error: true,
  },
  mock_result: { result: 'Approved', detail_code: 'approval' },
}

/** A PA by NDC, mocked as denied. */
export const codedPriorAuthorization: PriorAuthorizationRequest = {
  patient,
  provider,
  insurance_content,
  prescription: { ndc: '12345-6789-01', quantity_unit_of_measure: 'C48542', ...sample.dispensing },
  diagnoses: sample.diagnoses,
  mock_result: { result: 'Denied', detail_code: 'step_therapy_criteria_not_met' },
}

export const priorAuthorizationCancel: PriorAuthorizationCancelRequest = {
  cancellation_reason: 'The drug was changed.',
}
export const feedback: FeedbackRequest = { category: 'other', message: 'The outcome was clear.' }
export const ndpSubmissionUpdate: NdpSubmissionUpdateRequest = { preferred_pharmacy_ncpdp_id: '7654321' }

export const providerAuthorization: ProviderAuthorizationRequest = {
  npi: '1234567893',
  first_name: 'Max',
  last_name: 'Muster',
  email: 'max.muster@example.com',
  fax_number: '5555550101',
  phone_number: '5555550102',
  address: provider.address,
}

export const lookupByNumber: ProviderLookupRequest = { npi: '1234567893' }
export const lookupByName: ProviderLookupRequest = { first_name: 'Max', last_name: 'Muster', state: 'OR' }

export const patientEnrollment: PatientEnrollmentRequest = {
  patient: {
    first_name: 'Testa',
    last_name: 'Sample',
    date_of_birth: '1980-02-29',
    address: sample.patient.address,
    insurance_details: { data: { payer: 'Sample Health Plan', membership_number: 'M-0001', rx_bin: '610011' } },
    metadata: { patient_id: 'patient-1' },
  },
  programId: 'program-1',
  prescription: { drug_name: 'Examplumab', dosage: '10 mg', directions: 'once a week' },
  metadata: { enrollment_id: 'enrollment-1' },
}

export const paStatus: PaStatusRequest = { patient, insurance_content, drugs: [{ name: 'Examplumab' }] }
