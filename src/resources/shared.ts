import { z } from 'zod'
import { lenient, lenientEnum, lenientList } from './lenient.ts'

/** Postal address, as the service returns it (specification, Shared objects). */
export const Address = z.looseObject({
  street: lenient(z.string()),
  street_line_2: lenient(z.string()),
  city: lenient(z.string()),
  state_province: lenient(z.string()),
  zip_postal_code: lenient(z.string()),
  country: lenient(z.string()),
})

/** The patient of a request; `internal_id` is the customer's own stable value (specification, Shared objects). */
export const Patient = z.looseObject({
  internal_id: lenient(z.string()),
  mrn: lenient(z.string()),
  first_name: lenient(z.string()),
  last_name: lenient(z.string()),
  gender: lenient(lenientEnum(['male', 'female', 'other', 'not_specified'])),
  date_of_birth: lenient(z.string()),
  address: lenient(Address),
  phone: lenient(z.string()),
  email: lenient(z.string()),
})
export type Patient = z.infer<typeof Patient>

/** The prescriber (specification, Shared objects). */
export const Provider = z.looseObject({
  internal_id: lenient(z.string()),
  first_name: lenient(z.string()),
  last_name: lenient(z.string()),
  npi: lenient(z.string()),
  /** What stands in it is not shown. */
  in_network_payers: lenientList(z.json()),
  address: lenient(Address),
  phone: lenient(z.string()),
  fax: lenient(z.string()),
  email: lenient(z.string()),
})
export type Provider = z.infer<typeof Provider>

/** Whoever submitted or reviewed a request (supplement, PA resource). */
export const Person = z.looseObject({
  first_name: lenient(z.string()),
  last_name: lenient(z.string()),
  email: lenient(z.string()),
})
export type Person = z.infer<typeof Person>

export const Diagnosis = z.looseObject({ code: lenient(z.string()) })

const InsuranceContent = z.looseObject({
  member_number: lenient(z.string()),
  rx_bin: lenient(z.string()),
  rx_pcn: lenient(z.string()),
  rx_group: lenient(z.string()),
  payer_name: lenient(z.string()),
  plan_name: lenient(z.string()),
  member_name: lenient(z.string()),
  group_number: lenient(z.string()),
  client_name: lenient(z.string()),
  error: lenient(z.string()),
})

/** One insurance document: what was read from it and what the client supplied (specification, Shared objects). */
export const InsuranceRecord = z.looseObject({
  scanned_content: lenient(InsuranceContent),
  discrete_content: lenient(InsuranceContent),
  url: lenient(z.string()),
})
export type InsuranceRecord = z.infer<typeof InsuranceRecord>

export const Medication = z.looseObject({
  drug_name: lenient(z.string()),
  strength: lenient(z.string()),
  dose_form: lenient(z.string()),
  route_of_administration: lenient(z.string()),
  directions: lenient(z.string()),
  ndc: lenient(z.string()),
  quantity: lenient(z.number()),
  quantity_unit_of_measure: lenient(z.string()),
  days_supply: lenient(z.number()),
  prescription_date: lenient(z.string()),
})
export type Medication = z.infer<typeof Medication>

export const CopayOption = z.looseObject({ amount_cents: z.number(), supply_duration_days: lenient(z.number()) })
export type CopayOption = z.infer<typeof CopayOption>

export const insuranceRecords = lenientList(InsuranceRecord)
export const diagnoses = lenientList(Diagnosis)
