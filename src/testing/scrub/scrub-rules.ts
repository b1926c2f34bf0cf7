import { benefitVerificationErrorCodes } from 'pawl-client/schemas/benefit-verification-errors'
import { wording } from '@pawl/sandbox/webhooks/webhooks'
import type { Inventor } from './inventor.ts'

/** How to replace one sort of text. */
export interface Rule {
  /** Whether the text is of that sort, judged by its field path or its format. */
  applies(text: string, path: readonly string[]): boolean
  replace(text: string, invent: Inventor): string
}

const firstNames = ['Testa', 'Samuel', 'Exempla', 'Norma', 'Max', 'Placida', 'Modella', 'Dummy']
const lastNames = ['Sample', 'Muster', 'Specimen', 'Fixture', 'Nobody', 'Placeholder', 'Invented', 'Example']
const drugs = ['Exampline', 'Samplol', 'Testamab', 'Placebol', 'Fixturin']
const payers = ['Sample Payer', 'Example Health', 'Fixture Mutual']
const forms = ['tablet', 'capsule', 'solution']
const routes = ['oral', 'subcutaneous', 'topical']
const cities = ['Sampletown', 'Exampleton', 'Testville', 'Nowhere Falls']
const streets = ['Nowhere Road', 'Example Way', 'Sample Street', 'Fixture Lane']
const states = ['NY', 'OR', 'TX', 'OH', 'CA', 'WA']

const envelopeWords = new Set(Object.values(wording).flatMap(({ title, description }) => [title, description]))
/** PA results and BV error codes (supplement, BV). */
const otherWords = new Set<string>([
  'Not Submitted',
  'Approved',
  'Approval',
  'Denied',
  'Other',
  'Pending',
  ...benefitVerificationErrorCodes,
])

/** Fields with documented words as values. */
const wordFields =
  /^(object|direction|channel|gender|result|reason|outcome|coverage|prior_authorization_required|categories|patient_plan_fund_source|case|country|(.*_)?(status|state|code|type))$/
const wordShape = /^[a-z]+(?:_[a-z0-9]+)*$/

const field = (pattern: RegExp) => (_text: string, path: readonly string[]) => pattern.test(path.at(-1) ?? '')
const spelled = (pattern: RegExp) => (text: string) => pattern.test(text)
const keep = (text: string) => text

/** The first rule that applies decides; any other text counts as free text. */
export const rules: readonly Rule[] = [
  { applies: (text, path) => path.at(-1) === 'event_type' && /^[a-z_]+(\.[a-z_]+)+$/.test(text), replace: keep },
  { applies: (text, path) => path.length === 1 && envelopeWords.has(text), replace: keep },
  { applies: (text, path) => wordFields.test(path.at(-1) ?? '') && isWord(text), replace: keep },
  { applies: field(/^(first_name|given_name)$/), replace: (text, invent) => invent.pick(firstNames, text) },
  { applies: field(/^(last_name|family_name)$/), replace: (text, invent) => invent.pick(lastNames, text) },
  {
    applies: field(/^(member_name|sent_by_name|full_name|patient_name|provider_name)$/),
    replace: (text, invent) => `${invent.pick(firstNames, text)} ${invent.pick(lastNames, text)}`,
  },
  { applies: (_text, path) => path.at(-1) === 'drug_name' || endsIn(path, 'drugs', 'name'), replace: drug },
  { applies: field(/^dose_form$/), replace: (text, invent) => invent.pick(forms, text) },
  { applies: field(/^route_of_administration$/), replace: (text, invent) => invent.pick(routes, text) },
  {
    applies: field(/^(strength|dosage)$/),
    replace: (text, invent) => text.replaceAll(/\d+/g, (part) => invent.alike(part)),
  },
  {
    applies: field(/^file_name$/),
    replace: (text, invent) => text.replace(/^.*?(?=\.\w{1,5}$|$)/s, (name) => invent.alike(name)),
  },
  {
    applies: field(/^(payer_name|plan_name|health_plan_name|client_name|pharmacy_benefit_manager_name)$/),
    replace: (text, invent) => invent.pick(payers, text),
  },
  { applies: field(/^city$/), replace: (text, invent) => invent.pick(cities, text) },
  { applies: field(/^street$/), replace: (text, invent) => `1 ${invent.pick(streets, text)}` },
  { applies: field(/^state_province$/), replace: (text, invent) => invent.pick(states, text) },
  { applies: field(/^(zip_postal_code|zip|postal_code)$/), replace: (text) => text.replaceAll(/\w/g, '0') },
  {
    applies: field(/(^|_)npi$/),
    replace: (text, invent) => (/^\d{10}$/.test(text) ? invent.npi(text) : invent.alike(text)),
  },
  {
    applies: (text) => /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:?\d{2})?)?$/.test(text) && isDay(text.slice(0, 10)),
    replace: (text, invent) => invent.date(text),
  },
  {
    applies: spelled(/^[^\s@]+@[^\s@]+$/),
    replace: (text, invent) => `${invent.alike(text.split('@')[0] ?? '')}@mail.example`,
  },
  { applies: (text) => /^https?:\/\//.test(text) && URL.canParse(text), replace: (text, invent) => invent.url(text) },
  { applies: field(/(^|_)(phone|fax|mobile)(_number)?$/), replace: (text, invent) => invent.phone(text) },
  { applies: field(/(^|_)(id|ndc|code|mrn|number|bin|pcn|group|grp)$/), replace: (text, invent) => invent.id(text) },
  { applies: spelled(/^\+?[\d\s().-]{7,}$/), replace: (text, invent) => invent.phone(text) },
  { applies: spelled(/^\S*\d\S*$/), replace: (text, invent) => invent.id(text) },
]

function drug(text: string, invent: Inventor): string {
  return invent.pick(drugs, text)
}

function isDay(text: string): boolean {
  return !Number.isNaN(Date.parse(text))
}

function isWord(text: string): boolean {
  return wordShape.test(text) || otherWords.has(text) || /^[A-Z]{2}$/.test(text)
}

function endsIn(path: readonly string[], ...names: string[]): boolean {
  return names.every((name, index) => path.at(index - names.length) === name)
}
