import type { Address, MedicationRequest, Practitioner } from 'fhir/r4.js'
import { isNpi } from 'pawl-client/schemas/npi'
import { text } from '../../primitives.ts'
import { npiSystem } from '../mapping/references.ts'
import { absent, change, type Findings, type Found, onlyOne, unusable } from './create-findings.ts'
import { contact, currentOf, emailAddress, identifierValue } from './pick.ts'

const uses = ['work', undefined]

/** The prescriber of a request. Its address and numbers are optional: an ambiguous one is left out. */
export function requestProvider(
  { must, may }: Findings,
  { requester }: MedicationRequest,
  practitioner: Practitioner | undefined,
  day: string,
) {
  const missing: Found<never> =
    requester === undefined ? absent : unusable('the requester is not a practitioner of the chart')
  const from = practitioner === undefined ? 'MedicationRequest.requester' : undefined
  const name: Found<{ family: string | undefined; given: string | undefined }> =
    practitioner === undefined
      ? missing
      : onlyOne(
          currentOf(practitioner.name, ['official', 'usual', undefined], day).map(({ family, given }) => ({
            family: text(family),
            given: text(given?.[0]),
          })),
          'current names',
        )
  const npis = (practitioner?.identifier ?? []).filter(({ system }) => system === npiSystem)
  return {
    first_name: must(
      ['provider.first_name', from ?? 'Practitioner.name.given'],
      change(name, 'the name has no given part', ({ given }) => given),
    ),
    last_name: must(
      ['provider.last_name', from ?? 'Practitioner.name.family'],
      change(name, 'the name has no family part', ({ family }) => family),
    ),
    npi: must(
      ['provider.npi', from ?? `Practitioner.identifier (${npiSystem})`],
      practitioner === undefined
        ? missing
        : change(identifierValue(npis, day), 'its check digit is wrong', (npi) => (isNpi(npi) ? npi : undefined)),
    ),
    address: addressOf(may(['provider.address', 'Practitioner.address'], workAddress(practitioner, day))),
    phone: may(['provider.phone', 'Practitioner.telecom'], contact(practitioner?.telecom, 'phone', uses, day)),
    fax: may(['provider.fax', 'Practitioner.telecom'], contact(practitioner?.telecom, 'fax', uses, day)),
    email: may(['provider.email', 'Practitioner.telecom'], emailAddress(practitioner?.telecom, uses, day)),
  }
}

function workAddress(practitioner: Practitioner | undefined, day: string): Found<Address> {
  return onlyOne(
    currentOf(practitioner?.address, uses, day).map(({ line, city, state, postalCode, country }) => ({
      line,
      city,
      state,
      postalCode,
      country,
    })),
    'current addresses',
  )
}

/** A PA requires the object, although every field is optional (specification, Provider). */
function addressOf(address: Address | string | undefined) {
  if (typeof address !== 'object') return {}
  const [street, ...more] = address.line ?? []
  return {
    street: text(street),
    street_line_2: text(more.join(', ')),
    city: text(address.city),
    state_province: text(address.state),
    zip_postal_code: text(address.postalCode),
    country: text(address.country),
  }
}
