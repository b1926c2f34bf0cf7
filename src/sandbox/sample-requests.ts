import type { PriorAuthorizationRequest } from '../resources/requests/prior-authorization.ts'

// Everybody here is invented, and looks it. Documents, the welcome, the demo and tests send the same.

/** The least of a patient. */
export const patient: PriorAuthorizationRequest['patient'] = {
  internal_id: 'patient-1',
  first_name: 'Testa',
  last_name: 'Sample',
  gender: 'not_specified',
  date_of_birth: '1980-02-29',
  address: { street: '1 Example Way', city: 'Sampleton', state_province: 'OR', zip_postal_code: '01234' },
}

/** The least of a provider. */
export const provider = { first_name: 'Max', last_name: 'Muster', npi: '1234567893', address: {} }

/** What every prescription says of its dispensing. */
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
  dose_form: 'pen',
  route_of_administration: 'subcutaneous',
  ...dispensing,
}

/** What lets a prescription travel on to the preferred pharmacy once its PA is approved. */
export const ndpSubmission = {
  prescription_message_id: 'rx-1',
  ignore_eligibility_check_error: false,
  preferred_pharmacy_ncpdp_id: '0123456',
}
