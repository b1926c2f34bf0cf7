/** Every documented `error.code` of a failed BV (supplement, BV). */
export const benefitVerificationErrorCodes = [
  'Patient Not Found',
  'Insurance Card OCR Failure',
  'Insurance Unable to Provide Information',
  'Document Quality Error',
  'Document Info Missing or Incorrect',
  'Unable to Route Call',
  'Unable to Gather Benefits',
  'Internal Error',
  'Provider Not Authorized',
  'Patient Consent Required',
] as const

/** Every documented `error.detail_code` of a failed BV (supplement, BV). */
export const benefitVerificationErrorDetailCodes = [
  'incorrect_member_id',
  'incorrect_dob',
  'incorrect_address',
  'incorrect_phone_number',
  'missing_member_id',
  'medical_only_member_id',
  'name_mismatch',
  'missing_tax_id',
  'incorrect_tax_id',
  'incorrect_npi',
  'patient_consent_required',
  'patient_declined_consent',
  'kaiser_prescriber_required',
  'expired',
] as const
