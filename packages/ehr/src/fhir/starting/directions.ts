import type { Dosage, Quantity, Timing } from 'fhir/r4.js'
import { join, text } from '../../primitives.ts'
import { absent, type Found, found, unusable } from './create-findings.ts'
import { wordsOf } from './pick.ts'

/** Elements of a dosage that this file puts into words; any other element would be lost. */
const told: ReadonlySet<string> = new Set([
  'id',
  'sequence',
  'timing',
  'asNeededBoolean',
  'asNeededCodeableConcept',
  'route',
  'method',
  'doseAndRate',
])

/** Directions for the patient: in the prescriber's words, else the structured dosage in words, if all of it can be said. */
export function directionsOf(dosages: readonly Dosage[] | undefined): Found<string> {
  const steps = (dosages ?? []).toSorted((one, other) => (one.sequence ?? 0) - (other.sequence ?? 0))
  if (steps.length === 0) return absent
  const said = steps.map((step) => text(step.patientInstruction) ?? text(step.text) ?? inWords(step))
  const isInTurn = new Set(steps.map(({ sequence }) => sequence)).size > 1
  return said.every((each) => each !== undefined)
    ? found(said.join(isInTurn ? ', then ' : '; '))
    : unusable('a dosage has no words, and not all of it can be put into words')
}

function inWords(step: Dosage): string | undefined {
  const [amount, ...others] = step.doseAndRate ?? []
  const dose = amount?.doseQuantity === undefined ? undefined : quantityInWords(amount.doseQuantity)
  const often = step.timing === undefined ? undefined : timingInWords(step.timing)
  const isWhole = Object.keys(step).every((name) => told.has(name)) && others.length === 0
  if (!isWhole || dose === undefined || often === undefined) return undefined
  const route = step.route === undefined ? undefined : wordsOf(step.route)
  const reason = step.asNeededCodeableConcept === undefined ? undefined : wordsOf(step.asNeededCodeableConcept)
  if ((route && !('value' in route)) || (reason && !('value' in reason))) return undefined
  const asNeeded = reason ? `as needed for ${reason.value}` : step.asNeededBoolean === true ? 'as needed' : undefined
  const method = step.method === undefined ? undefined : wordsOf(step.method)
  if (method && !('value' in method)) return undefined
  return join([method?.value, dose, route?.value, often, asNeeded], ' ')
}

function quantityInWords({ value, comparator, unit, code }: Quantity): string | undefined {
  const of = text(unit) ?? text(code)
  return value === undefined || comparator !== undefined || of === undefined ? undefined : `${value} ${of}`
}

/** The parts of a timing that are told; `boundsPeriod` only says when it holds. */
const toldOfRepeat: ReadonlySet<string> = new Set([
  'frequency',
  'period',
  'periodUnit',
  'boundsPeriod',
  'boundsDuration',
])
const unitNames: Readonly<Record<string, string>> = {
  s: 'second',
  min: 'minute',
  h: 'hour',
  d: 'day',
  wk: 'week',
  mo: 'month',
  a: 'year',
}

function timingInWords({ repeat, code, event }: Timing): string | undefined {
  if (event !== undefined) return undefined
  if (repeat === undefined) {
    const said = code && wordsOf(code)
    return said && 'value' in said ? said.value : undefined
  }
  const { frequency = 1, period, periodUnit = '', boundsDuration } = repeat
  const unit = unitNames[periodUnit]
  if (!Object.keys(repeat).every((name) => toldOfRepeat.has(name)) || unit === undefined || period === undefined)
    return undefined
  const times = frequency === 1 ? 'once' : frequency === 2 ? 'twice' : `${frequency} times`
  const every = period === 1 ? `${times} a ${unit}` : `${times} every ${period} ${unit}s`
  const length = boundsDuration && quantityInWords(boundsDuration)
  return boundsDuration !== undefined && length === undefined
    ? undefined
    : join([every, length && `for ${length}`], ' ')
}
