import type { CodeableConcept, Coding, ContactPoint, Identifier, Period, Reference } from 'fhir/r4.js'
import { z } from 'zod'
import { text, toDay } from '../../primitives.ts'
import { absent, change, type Found, onlyOne } from './create-findings.ts'

/** Whether a period, to the precision of its ends, contains this day (YYYY-MM-DD). The day of its end belongs to it (FHIR R4, Period.end). */
export function isWithin(period: Period | undefined, day: string): boolean {
  const [start = '', end = ''] = [period?.start, period?.end].map((bound = '') => toDay(bound))
  return start <= day.slice(0, start.length) && (end === '' || end >= day.slice(0, end.length))
}

/** The current items of the first of these uses that has any; `undefined` means an item without a use. */
export function currentOf<T extends { use?: string | undefined; period?: Period | undefined }>(
  items: readonly T[] | undefined,
  uses: readonly (string | undefined)[],
  day: string,
): T[] {
  const current = (items ?? []).filter(({ period }) => isWithin(period, day))
  const use = uses.find((each) => current.some((item) => item.use === each))
  return current.filter((item) => item.use === use && uses.includes(item.use))
}

/** The only current value of a contact system; a stated rank decides between several. */
export function contact(
  telecom: readonly ContactPoint[] | undefined,
  system: ContactPoint['system'],
  uses: readonly (string | undefined)[],
  day: string,
): Found<string> {
  const named = (telecom ?? []).filter((each) => each.system === system && text(each.value) !== undefined)
  const usable = currentOf(named, uses, day)
  const rank = Math.min(...usable.map((each) => each.rank ?? Infinity))
  const best = usable.filter((each) => (each.rank ?? Infinity) === rank)
  return onlyOne(
    best.flatMap(({ value }) => text(value) ?? []),
    `${system}s`,
  )
}

const EmailAddress = z.email()

/** The same for a well-formed e-mail address; the service refuses any other. */
export function emailAddress(
  ...asked: [ContactPoint[] | undefined, readonly (string | undefined)[], string]
): Found<string> {
  const [telecom, uses, day] = asked
  return change(contact(telecom, 'email', uses, day), 'not well-formed', (value) => EmailAddress.safeParse(value).data)
}

/** The codes of this system, trimmed. */
export function codesOf(concept: CodeableConcept | undefined, systems: readonly string[]): Coding[] {
  return (concept?.coding ?? []).filter(({ system, code }) => systems.includes(system ?? '') && text(code))
}

/** A concept in words. */
export function wordsOf(concept: CodeableConcept | undefined): Found<string> {
  const said = text(concept?.text)
  if (said !== undefined) return { value: said.trim() }
  return onlyOne(
    (concept?.coding ?? []).flatMap(({ display }) => text(display)?.trim() ?? []),
    'names',
  )
}

const identifierTypes = 'http://terminology.hl7.org/CodeSystem/v2-0203'

/** Whether an identifier is of this type (v2 table 0203). */
export function hasType({ type }: Identifier, code: string): boolean {
  return codesOf(type, [identifierTypes, 'http://hl7.org/fhir/v2/0203']).some((each) => each.code === code)
}

/** The only value of the current ones. */
export function identifierValue(identifiers: readonly Identifier[], day: string): Found<string> {
  const current = identifiers.filter(({ use, period }) => use !== 'old' && isWithin(period, day))
  const values = current.flatMap(({ value }) => text(value)?.trim() ?? [])
  return values.length === 0 ? absent : onlyOne(values, 'identifiers')
}

/** Whether a reference names this resource, by a relative or absolute address, with or without a version. */
export function refersTo(reference: Reference | undefined, type: string, id: string | undefined): boolean {
  const path = (reference?.reference ?? '').replace(/\/_history\/[^/]+$/, '')
  return id !== undefined && (path === `${type}/${id}` || path.endsWith(`/${type}/${id}`))
}
