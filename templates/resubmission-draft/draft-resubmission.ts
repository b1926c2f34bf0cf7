import type { PriorAuthorization } from '#pawl'
import { draftOf, pick } from '../draft-of.ts'

const common = ['directions', 'quantity', 'days_supply', 'prescription_date']
const coded = ['ndc', ...common]
const named = ['drug_name', 'strength', 'dose_form', 'route_of_administration', ...common]
const patient = ['internal_id', 'first_name', 'last_name', 'gender', 'date_of_birth']
const address = ['street', 'city', 'state_province', 'zip_postal_code']

/** A request that refers to this PA, filled from it, and the paths of fields to fill in before it is sent. */
export function draftResubmission(pa: PriorAuthorization): { body: Record<string, unknown>; missing: string[] } {
  const prescribed = pa.prescription?.ndc === undefined ? named : coded
  const body = {
    ...draftOf(pa),
    prescription: pick(pa.prescription, [...prescribed, ...(prescribed === coded ? ['quantity_unit_of_measure'] : [])]),
    ...(pa.pharmacy?.name !== undefined && { pharmacy: { name: pa.pharmacy.name } }),
    ...(pa.priority !== undefined && { priority: pa.priority }),
    resubmission_info: { previous_prior_auth_request_id: pa.id },
  }
  const required = [
    ...patient.map((field) => `patient.${field}`),
    ...address.map((field) => `patient.address.${field}`),
    ...['first_name', 'last_name', 'npi'].map((field) => `provider.${field}`),
    'insurance_content.member_number',
    ...prescribed.map((field) => `prescription.${field}`),
    'resubmission_info.note',
  ]
  return { body, missing: required.filter((path) => valueAt(body, path) === undefined) }
}

function valueAt(body: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    const entry = Object.entries(value ?? {}).find(([field]) => field === name)
    return entry?.[1]
  }, body)
}
