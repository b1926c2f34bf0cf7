import type { PriorAuthorizationRequest } from 'pawl-client/schemas/prior-authorization-request'

// All people are invented. Shared by the documents, the welcome text, the demo and the tests.

/** A patient with the required fields, and a country. */
export const patient: PriorAuthorizationRequest['patient'] = {
  internal_id: 'patient-1',
  first_name: 'Testa',
  last_name: 'Sample',
  gender: 'not_specified',
  date_of_birth: '1980-02-29',
  address: {
    street: '1 Example Way',
    city: 'Sampleton',
    state_province: 'OR',
    zip_postal_code: '01234',
    country: 'US',
  },
}

/** A provider with the required fields. */
export const provider = { first_name: 'Max', last_name: 'Muster', npi: '1234567893', address: { country: 'US' } }

/** Insurance in the service's preferred form: member number and all codes that route a prescription. */
export const insuranceContent = { member_number: 'M-0001', rx_bin: '610011', rx_pcn: 'SAMPLE', rx_group: 'RX0001' }

/** The diagnoses of every request. */
export const diagnoses = [{ code: 'E66.9' }]

/** The dispensing fields of every prescription. */
export const dispensing = {
  directions: 'once a week',
  quantity: 4,
  days_supply: 28,
  prescription_date: '2026-03-01T09:00:00Z',
}

/** A prescription by the drug's name. */
export const prescription = {
  drug_name: 'Examplumab',
  strength: '10 mg',
  dose_form: 'Injection, solution',
  route_of_administration: 'subcutaneous',
  ...dispensing,
}

/** An NDP submission: the prescription is transferred to the preferred pharmacy once its PA is approved. */
export const ndpSubmission = {
  prescription_message_id: 'rx-1',
  ignore_eligibility_check_error: false,
  preferred_pharmacy_ncpdp_id: '0123456',
}
