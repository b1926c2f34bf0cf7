import type { Address, Identifier, Patient } from 'fhir/r4.js'
import { date } from 'pawl-client/schemas/text'
import { text } from '../../primitives.ts'
import type { PatientOptions } from '../patient-resolver.ts'
import { absent, change, type Findings, type Found, found, onlyOne, unusable } from './create-findings.ts'
import { contact, currentOf, emailAddress, hasType, identifierValue } from './pick.ts'
import { isUs, usStateOf } from './us-state.ts'

/** The field of requests that carries the patient's number, as the chart's settings name it. */
export type NumberRule = Pick<PatientOptions, 'field' | 'system'>

const uses = ['home', 'mobile', undefined]

/** The patient of a request. Former names and addresses never count; of several current ones none is chosen. */
export function requestPatient(findings: Findings, patient: Patient, day: string, rule: NumberRule) {
  const { must, may } = findings
  const number = numberOf(patient, rule, day)
  const isNumbered = rule.field === 'internal_id'
  const name = nameOf(patient, day)
  const address = addressOf(patient, day)
  const line = (of: (address: Address) => string | undefined, says: string) => change(address, says, of)
  return {
    internal_id: must(
      ['patient.internal_id', isNumbered ? 'Patient.identifier' : 'Patient.id'],
      isNumbered ? number : patient.id === undefined ? absent : found(patient.id),
    ),
    first_name: must(
      ['patient.first_name', 'Patient.name.given'],
      change(name, 'the name has no given part', ({ given }) => text(given?.[0])),
    ),
    last_name: must(
      ['patient.last_name', 'Patient.name.family'],
      change(name, 'the name has no family part', ({ family }) => text(family)),
    ),
    gender: must(
      ['patient.gender', 'Patient.gender'],
      patient.gender === undefined ? absent : found(patient.gender === 'unknown' ? 'not_specified' : patient.gender),
    ),
    date_of_birth: must(
      ['patient.date_of_birth', 'Patient.birthDate'],
      patient.birthDate === undefined
        ? absent
        : date.safeParse(patient.birthDate).success
          ? found(patient.birthDate)
          : unusable('not a whole date'),
    ),
    address: {
      street: must(
        ['patient.address.street', 'Patient.address.line'],
        line(({ line: lines }) => text(lines?.[0]), 'the address has no line'),
      ),
      street_line_2: may(
        ['patient.address.street_line_2', 'Patient.address.line'],
        'value' in address ? onlyOne(secondLine(address.value), 'lines') : absent,
      ),
      city: must(
        ['patient.address.city', 'Patient.address.city'],
        line(({ city }) => text(city), 'the address has no city'),
      ),
      state_province: must(
        ['patient.address.state_province', 'Patient.address.state'],
        line(({ state = '' }) => usStateOf(state), 'the address has no state of the US'),
      ),
      zip_postal_code: must(
        ['patient.address.zip_postal_code', 'Patient.address.postalCode'],
        line(({ postalCode }) => text(postalCode)?.trim(), 'the address has no postal code'),
      ),
      ...('value' in address && address.value.country !== undefined && { country: 'US' }),
    },
    phone: may(['patient.phone', 'Patient.telecom'], contact(patient.telecom, 'phone', uses, day)),
    email: may(['patient.email', 'Patient.telecom'], emailAddress(patient.telecom, uses, day)),
    mrn: rule.field === 'mrn' ? must(['patient.mrn', 'Patient.identifier'], number) : undefined,
  }
}

function nameOf({ name }: Patient, day: string) {
  return onlyOne(
    currentOf(name, ['official', 'usual', undefined], day).map(({ family, given }) => ({ family, given })),
    'current names',
  )
}

/** The current home address, without one for letters only. */
function addressOf({ address }: Patient, day: string): Found<Address> {
  const current = currentOf(
    address?.filter(({ type }) => type !== 'postal'),
    ['home', undefined],
    day,
  )
  const only = onlyOne(
    current.map(({ line, city, state, postalCode, country }) => ({ line, city, state, postalCode, country })),
    'current addresses',
  )
  return change(only, 'the address is not in the US', (each) => (isUs(each.country) ? each : undefined))
}

const secondLine = ({ line: [, ...more] = [] }: Address) => (more.length === 0 ? [] : [more.join(', ')])

/** An identifier of the system that the settings name; without one, the medical record number, else the only identifier without a type. */
function numberOf({ identifier: all = [] }: Patient, { system }: NumberRule, day: string): Found<string> {
  const records = all.filter((each) => hasType(each, 'MR'))
  const untyped = all.filter(({ type }: Identifier) => type === undefined)
  const asked =
    system === undefined ? (records.length > 0 ? records : untyped) : all.filter((each) => each.system === system)
  return identifierValue(asked, day)
}
