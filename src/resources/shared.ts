import { z } from 'zod'
import { open, openEnum, openList } from './open.ts'

/** Postal address, as the service returns it (specification, Shared objects). */
export const Address = z.looseObject({
  street: open(z.string()),
  street_line_2: open(z.string()),
  city: open(z.string()),
  state_province: open(z.string()),
  zip_postal_code: open(z.string()),
  country: open(z.string()),
})

/** The patient of a request; `internal_id` is the customer's own stable value (specification, Shared objects). */
export const Patient = z.looseObject({
  internal_id: open(z.string()),
  mrn: open(z.string()),
  first_name: open(z.string()),
  last_name: open(z.string()),
  gender: open(openEnum(['male', 'female', 'other', 'not_specified'])),
  date_of_birth: open(z.string()),
  address: open(Address),
  phone: open(z.string()),
  email: open(z.string()),
})
export type Patient = z.infer<typeof Patient>

/** The prescriber (specification, Shared objects). */
export const Provider = z.looseObject({
  internal_id: open(z.string()),
  first_name: open(z.string()),
  last_name: open(z.string()),
  npi: open(z.string()),
  address: open(Address),
  phone: open(z.string()),
  fax: open(z.string()),
  email: open(z.string()),
})
export type Provider = z.infer<typeof Provider>

export const Diagnosis = z.looseObject({ code: open(z.string()) })

const InsuranceContent = z.looseObject({
  member_number: open(z.string()),
  rx_bin: open(z.string()),
  rx_pcn: open(z.string()),
  rx_group: open(z.string()),
  payer_name: open(z.string()),
  plan_name: open(z.string()),
  member_name: open(z.string()),
  group_number: open(z.string()),
  client_name: open(z.string()),
  error: open(z.string()),
})

/** One insurance document with what was read from it and what the client supplied (specification, Shared objects). */
export const InsuranceRecord = z.looseObject({
  scanned_content: open(InsuranceContent),
  discrete_content: open(InsuranceContent),
  url: open(z.string()),
})
export type InsuranceRecord = z.infer<typeof InsuranceRecord>

export const Medication = z.looseObject({
  drug_name: open(z.string()),
  strength: open(z.string()),
  dose_form: open(z.string()),
  route_of_administration: open(z.string()),
  directions: open(z.string()),
  ndc: open(z.string()),
  quantity: open(z.number()),
  quantity_unit_of_measure: open(z.string()),
  days_supply: open(z.number()),
  prescription_date: open(z.string()),
})

export const CopayOption = z.looseObject({ amount_cents: z.number(), supply_duration_days: open(z.number()) })

export const insuranceRecords = openList(InsuranceRecord)
export const diagnoses = openList(Diagnosis)
