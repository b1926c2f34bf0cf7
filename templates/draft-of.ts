import type { Api } from '#pawl'
import type { Subject } from '@pawl/ehr'

/** Body of POST /prior-authorization. */
export type PriorAuthorizationRequest = Parameters<Api['createPriorAuthorization']>[0]

const patientFields = 'internal_id mrn first_name last_name gender date_of_birth phone email'.split(' ')
const providerFields = 'internal_id first_name last_name npi phone fax email'.split(' ')
const addressFields = 'street street_line_2 city state_province zip_postal_code country'.split(' ')
const insuranceFields =
  'member_number rx_bin rx_pcn rx_group payer_name plan_name member_name group_number client_name'.split(' ')

/** Patient, prescriber, insurance and diagnoses of a PA or BV in the form of a new PA request, without fields that a request refuses. */
export function draftOf({ patient, provider, insurance, diagnoses }: Subject): Record<string, unknown> {
  return {
    patient: { ...pick(patient, patientFields), address: pick(patient?.address, addressFields) },
    provider: { ...pick(provider, providerFields), address: pick(provider?.address, addressFields) },
    insurance_content: insuranceContentOf(insurance),
    ...(diagnoses && { diagnoses: diagnoses.flatMap(({ code }) => (code === undefined ? [] : [{ code }])) }),
  }
}

/** The fields of `from` that have a value. */
export function pick(from: object | undefined, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(from ?? {}).filter(([name, value]) => fields.includes(name) && value != null && value !== ''),
  )
}

/** Merges the sides of one card; records with another member number are another insurance. */
function insuranceContentOf(records: Subject['insurance']): Record<string, unknown> {
  const sides = (records ?? []).map(({ scanned_content, discrete_content }) => ({
    ...pick(scanned_content, insuranceFields),
    ...pick(discrete_content, insuranceFields),
  }))
  const member = sides.find((side) => 'member_number' in side)?.member_number
  const ofMember = sides.filter((side) => (side.member_number ?? member) === member)
  const { rx_bin, ...content } = ofMember.reduceRight((merged, side) => ({ ...merged, ...side }), {})
  // The service refuses a BIN of another shape; without one it uses the payer and the other codes.
  return /^\d{6}$/.test(String(rx_bin)) ? { ...content, rx_bin } : content
}
