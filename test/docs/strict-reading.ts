import { isNpi } from '../../packages/client/src/schemas/npi.ts'

/** Dose forms of the terminology that labels of drugs use (FDA, Structured Product Labeling), as far as examples need them. */
const doseForms = [
  'capsule',
  'cream',
  'injection',
  'injection, powder, lyophilized, for solution',
  'injection, solution',
  'injection, suspension',
  'ointment',
  'patch',
  'solution',
  'tablet',
  'tablet, film coated',
]

/** Routes of administration of the same terminology. */
const routes = [
  'intramuscular',
  'intravenous',
  'oral',
  'respiratory (inhalation)',
  'subcutaneous',
  'topical',
  'transdermal',
]

const diagnosis = /^[A-TV-Z]\d[0-9A-Z](?:\.[0-9A-Z]{1,4})?$/

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Objections of the strictest reader of the specification to a request that fits its schema, each with the path of the field. */
export function objections(request: unknown, path = 'body'): string[] {
  if (Array.isArray(request)) return request.flatMap((item, index) => objections(item, `${path}.${index}`))
  if (!isFields(request)) return []
  const own = Object.entries(request).flatMap(([name, value]) =>
    (rules[name]?.(value, request) ?? true) ? [] : [`${path}.${name}`],
  )
  const isCase = 'patient' in request && 'provider' in request
  const missing = isCase && !('diagnoses' in request) ? [`${path}.diagnoses`] : []
  const inner = Object.entries(request).flatMap(([name, value]) => objections(value, `${path}.${name}`))
  return [...own, ...missing, ...inner]
}

/** By the name of the field, whether its value is as the specification shows or prefers it. */
const rules: Record<string, ((value: unknown, owner: Fields) => boolean) | undefined> = {
  address: (value) => isFields(value) && value.country === 'US',
  zip_postal_code: (value) => /^\d{5}(?:-\d{4})?$/.test(String(value)),
  npi: (value) => isNpi(String(value)),
  diagnoses: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => isFields(one) && diagnosis.test(String(one.code))),
  dose_form: (value) => doseForms.includes(String(value).toLowerCase()),
  route_of_administration: (value) => routes.includes(String(value).toLowerCase()),
  quantity: (value) => Number.isInteger(value),
  insurance_content: (value) => isFields(value) && isPreferred(value),
}

/** The three preferred combinations of insurance content (specification, insurance_content). */
function isPreferred({ member_number, rx_bin, rx_pcn, rx_group, payer_name, plan_name }: Fields): boolean {
  const hasCodes = [rx_bin, rx_pcn, rx_group].every((code) => code !== undefined)
  return member_number !== undefined && (hasCodes || (payer_name !== undefined && plan_name !== undefined))
}
