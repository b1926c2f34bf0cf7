import { z } from 'zod'
import { base64, bin, date, text } from './text.ts'
import { usState } from './us-state.ts'

/** The four values that the service accepts (specification, Patient). */
export const genders = ['male', 'female', 'other', 'not_specified'] as const

/** A complete address (specification, Address: required for a patient). */
export const PatientAddress = z.strictObject({
  street: text,
  street_line_2: z.string().nullish(),
  city: text,
  state_province: usState,
  zip_postal_code: text,
  country: text.optional(),
})

/** An address whose every field is optional (specification, Address: a provider's). */
export const PartialAddress = z.strictObject({
  street: z.string().nullish(),
  street_line_2: z.string().nullish(),
  city: z.string().nullish(),
  state_province: z.string().nullish(),
  zip_postal_code: z.string().nullish(),
  country: z.string().nullish(),
})

/** The patient of a BV, PA or clinical qualification (specification, Patient). `mrn` is on the PA resource, so it is accepted too. */
export const PatientRequest = z.strictObject({
  internal_id: text,
  first_name: text,
  last_name: text,
  gender: z.enum(genders),
  date_of_birth: date,
  address: PatientAddress,
  phone: z.string().nullish(),
  email: z.email().optional(),
  mrn: text.optional(),
})
export type PatientRequest = z.infer<typeof PatientRequest>

/** The prescriber (specification, Provider). Not shown whether BV and clinical qualification need the address: optional there. */
export const ProviderRequest = z.strictObject({
  internal_id: text.optional(),
  first_name: text,
  last_name: text,
  npi: text,
  address: PartialAddress.optional(),
  phone: z.string().nullish(),
  fax: text.optional(),
  email: z.email().optional(),
  // The items are not shown.
  in_network_payers: z.array(z.unknown()).optional(),
})

export const DiagnosisRequest = z.strictObject({ code: text })
export const diagnosesRequest = z.array(DiagnosisRequest)

/** One side of an insurance card (specification, Insurance card upload item). */
export const InsuranceCardRequest = z.strictObject({ file_content: base64 })

/** Structured insurance; some combinations are preferred, none is required (specification, insurance_content). */
export const InsuranceContentRequest = z.strictObject({
  member_number: text.optional(),
  rx_bin: bin.optional(),
  rx_pcn: z.string().optional(),
  rx_group: z.string().optional(),
  payer_name: z.string().optional(),
  plan_name: z.string().optional(),
  member_name: z.string().optional(),
  group_number: z.string().optional(),
  client_name: z.string().optional(),
})
export type InsuranceContentRequest = z.infer<typeof InsuranceContentRequest>

/** The two ways to describe a patient's insurance; a request spreads them and requires at least one. */
export const insuranceFields = {
  insurance: z.array(InsuranceCardRequest).min(1).optional(),
  insurance_content: InsuranceContentRequest.optional(),
}
