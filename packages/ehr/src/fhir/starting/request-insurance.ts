import type { Coverage } from 'fhir/r4.js'
import { bin } from 'pawl-client/schemas/text'
import { text } from '../../primitives.ts'
import { absent, change, type Findings, type Found, onlyOne, several } from './create-findings.ts'
import { codesOf, hasType, identifierValue, isWithin } from './pick.ts'

const classSystem = 'http://terminology.hl7.org/CodeSystem/coverage-class'

/**
 * The insurance of a request. Of several current coverages the one counts that routes pharmacy claims (it alone has an RXBIN), else the
 * first by `order`; otherwise none is chosen. The member number is that of the pharmacy benefit (class `rxid`), else the identifier of type MB,
 * else `subscriberId`.
 */
export function requestInsurance({ must, should, may }: Findings, coverages: readonly Coverage[], day: string) {
  const coverage = chosen(coverages, day)
  const of = (code: string) => ('value' in coverage ? classValue(coverage.value, code) : coverage)
  const place = (field: string, code: string) => [`insurance_content.${field}`, `Coverage.class (${code})`] as const
  return {
    member_number: must(
      ['insurance_content.member_number', 'Coverage.subscriberId'],
      'value' in coverage ? memberNumber(coverage.value, day) : coverage,
    ),
    rx_bin: should(
      place('rx_bin', 'rxbin'),
      change(of('rxbin'), 'not six digits', (value) => (bin.safeParse(value).success ? value : undefined)),
    ),
    rx_pcn: should(place('rx_pcn', 'rxpcn'), of('rxpcn')),
    rx_group: should(place('rx_group', 'rxgroup'), of('rxgroup')),
    group_number: may(place('group_number', 'group'), of('group')),
    plan_name: may(place('plan_name', 'plan'), 'value' in coverage ? planOf(coverage.value) : coverage),
    payer_name: should(
      ['insurance_content.payer_name', 'Coverage.payor.display'],
      'value' in coverage ? payerOf(coverage.value) : coverage,
    ),
  }
}

function chosen(coverages: readonly Coverage[], day: string): Found<Coverage> {
  const current = coverages.filter(({ status, period }) => status === 'active' && isWithin(period, day))
  const [first, second] = current
  if (first === undefined) return absent
  if (second === undefined) return { value: first }
  const pharmacy = current.filter((each) => classesOf(each, 'rxbin').length > 0)
  if (pharmacy.length === 1 && pharmacy[0] !== undefined) return { value: pharmacy[0] }
  const ordered = current.toSorted((one, other) => (one.order ?? Infinity) - (other.order ?? Infinity))
  const [best, next] = ordered
  return best?.order !== undefined && best.order !== next?.order
    ? { value: best }
    : several(current.length, 'active coverages')
}

function classesOf(coverage: Coverage, code: string) {
  return (coverage.class ?? []).filter(({ type }) => codesOf(type, [classSystem]).some((each) => each.code === code))
}

function classValue(coverage: Coverage, code: string): Found<string> {
  return onlyOne(
    classesOf(coverage, code).flatMap(({ value }) => text(value)?.trim() ?? []),
    'values',
  )
}

/** The PBM that BIN and PCN name knows its members by `rxid`, and not by the number of their medical plan. */
function memberNumber(coverage: Coverage, day: string): Found<string> {
  const ofPharmacy = classValue(coverage, 'rxid')
  if (ofPharmacy !== absent) return ofPharmacy
  const { identifier = [], subscriberId } = coverage
  const members = identifier.filter((each) => hasType(each, 'MB'))
  if (members.length > 0) return identifierValue(members, day)
  const subscriber = text(subscriberId)?.trim()
  return subscriber === undefined ? absent : { value: subscriber }
}

function planOf(coverage: Coverage): Found<string> {
  return onlyOne(
    classesOf(coverage, 'plan').flatMap(({ name, value }) => text(name) ?? text(value) ?? []),
    'plans',
  )
}

function payerOf({ payor }: Coverage): Found<string> {
  return onlyOne(
    payor.flatMap(({ display }) => text(display) ?? []),
    'payers',
  )
}
