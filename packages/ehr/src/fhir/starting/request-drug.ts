import type { CodeableConcept, Medication, MedicationRequest, Quantity, Ratio } from 'fhir/r4.js'
import { toNdc11, wholeQuantity } from 'pawl-client/schemas/text'
import { unitCodes } from '../mapping/drug.ts'
import { join, text } from '../../primitives.ts'
import { directionsOf } from './directions.ts'
import {
  absent,
  change,
  type Findings,
  type Found,
  found,
  numberOf,
  onlyOne,
  several,
  unusable,
} from './create-findings.ts'
import { codesOf, wordsOf } from './pick.ts'
import { rxNormParts } from './rxnorm-name.ts'

const ndcSystems = ['http://hl7.org/fhir/sid/ndc', 'urn:oid:2.16.840.1.113883.6.69']
const rxNormSystems = ['http://www.nlm.nih.gov/research/umls/rxnorm']
const ucum = 'http://unitsofmeasure.org'
const ncit = 'http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl'

/** The prescribed drug, as the prescription or its Medication names it. */
export interface PrescribedDrug {
  concept: CodeableConcept | undefined
  medication: Medication | undefined
  /** Where its name stands. */
  from: 'MedicationRequest.medication' | 'Medication.code'
}

/** The drug of a prescription: its contained Medication, the given referenced one, or its concept. */
export function drugOf(order: MedicationRequest, referenced: Medication | undefined): PrescribedDrug {
  const { medicationReference: reference, contained = [], medicationCodeableConcept: concept } = order
  const inside = contained.find(
    (each): each is Medication => each.resourceType === 'Medication' && reference?.reference === `#${each.id}`,
  )
  const medication = inside ?? referenced
  if (medication?.code !== undefined) return { concept: medication.code, medication, from: 'Medication.code' }
  const named = concept ?? (text(reference?.display) === undefined ? undefined : { text: reference?.display ?? '' })
  return { concept: named, medication, from: 'MedicationRequest.medication' }
}

/** The one NDC of the drug as 11 digits. */
function ndcOf({ concept }: PrescribedDrug): Found<string> {
  const codes = codesOf(concept, ndcSystems).map(({ code }) => toNdc11(code))
  if (codes.length > 0 && codes.every((code) => code === undefined))
    return unusable('neither 11 digits nor hyphenated, so its form is unknown')
  return onlyOne(
    codes.flatMap((code) => code ?? []),
    'different NDCs',
  )
}

/** Name, strength and dose form: those that the Medication states, else those of the RxNorm name. */
function namedParts({ concept, medication }: PrescribedDrug) {
  const names = codesOf(concept, rxNormSystems).flatMap(({ display }) => text(display) ?? [])
  const parts = names.flatMap((name) => rxNormParts(name) ?? [])
  // A clinical drug and its brand differ by the name alone; the brand says more.
  const branded = parts.filter(({ name }) => name.endsWith(']'))
  const name =
    parts.length === 0
      ? wordsOf(concept)
      : onlyOne(
          (branded.length > 0 ? branded : parts).map((each) => each.name),
          'names',
        )
  return {
    name: concept === undefined ? absent : name,
    strength:
      strengthOf(medication) ??
      onlyOne(
        parts.map((each) => each.strength),
        'strengths',
      ),
    form:
      medication?.form === undefined
        ? onlyOne(
            parts.map((each) => each.form),
            'dose forms',
          )
        : wordsOf(medication.form),
  }
}

/** The strength of the only ingredient; undefined if the Medication states none. */
function strengthOf(medication: Medication | undefined): Found<string> | undefined {
  const active =
    medication?.ingredient?.filter(({ isActive, strength }) => isActive !== false && strength !== undefined) ?? []
  const [only, ...others] = active
  if (only?.strength === undefined) return undefined
  if (others.length > 0) return several(active.length, 'ingredients with a strength')
  const said = ratioInWords(only.strength)
  return said === undefined ? unusable('an incomplete ratio') : found(said)
}

function ratioInWords({ numerator, denominator }: Ratio): string | undefined {
  const amount = quantityInWords(numerator)
  if (amount === undefined || denominator === undefined) return amount
  const unit = text(denominator.unit) ?? text(denominator.code)
  if (unit === undefined || denominator.value === undefined) return undefined
  return `${amount}/${denominator.value === 1 ? '' : `${denominator.value} `}${unit}`
}

const quantityInWords = (quantity: Quantity | undefined) =>
  quantity?.value === undefined ? undefined : join([String(quantity.value), quantity.unit ?? quantity.code], ' ')

/** The prescription of a PA: by NDC where the chart has one, else by name, strength, form and route. */
export function requestPrescription(findings: Findings, order: MedicationRequest, drug: PrescribedDrug) {
  const { must, should, may } = findings
  const { dispenseRequest, dosageInstruction, authoredOn } = order
  const { quantity, expectedSupplyDuration: supply } = dispenseRequest ?? {}
  const dispensing = {
    directions: must(
      ['prescription.directions', 'MedicationRequest.dosageInstruction'],
      directionsOf(dosageInstruction),
    ),
    quantity: numberOf(
      must(
        ['prescription.quantity', 'MedicationRequest.dispenseRequest.quantity'],
        whole(quantity, (value) => value),
      ),
    ),
    days_supply: numberOf(
      must(
        ['prescription.days_supply', 'MedicationRequest.dispenseRequest.expectedSupplyDuration'],
        whole(supply, daysIn),
      ),
    ),
    prescription_date: must(
      ['prescription.prescription_date', 'MedicationRequest.authoredOn'],
      change(authoredOn === undefined ? absent : found(authoredOn), 'not a whole date', toMoment),
    ),
  }
  const ndc = should(['prescription.ndc', drug.from], ndcOf(drug))
  if (ndc !== undefined) {
    const unit = may(
      ['prescription.quantity_unit_of_measure', 'MedicationRequest.dispenseRequest.quantity'],
      unitOf(quantity),
    )
    return { ndc, ...dispensing, quantity_unit_of_measure: unit }
  }
  const { name, strength, form } = namedParts(drug)
  const routes = (dosageInstruction ?? []).flatMap(({ route }) => (route === undefined ? [] : [wordsOf(route)]))
  return {
    drug_name: must(['prescription.drug_name', drug.from], name),
    strength: must(['prescription.strength', 'Medication.ingredient.strength'], strength),
    dose_form: must(['prescription.dose_form', 'Medication.form'], form),
    route_of_administration: must(
      ['prescription.route_of_administration', 'MedicationRequest.dosageInstruction.route'],
      onlyOne(
        routes.flatMap((route) => ('value' in route ? route.value : [])),
        'routes',
      ),
    ),
    ...dispensing,
  }
}

/** The drug of a BV: by NDC, else by its name in words, which includes the strength. */
export function requestVerifiedDrug({ must, should, may }: Findings, order: MedicationRequest, drug: PrescribedDrug) {
  const dispensed = order.dispenseRequest?.quantity?.value
  const quantity = numberOf(
    may(
      ['drugs.0.quantity', 'MedicationRequest.dispenseRequest.quantity'],
      dispensed === undefined ? absent : dispensed > 0 ? found(dispensed) : unusable('not above 0'),
    ),
  )
  const ndc = should(['drugs.0.ndc', drug.from], ndcOf(drug))
  if (ndc !== undefined) return { ndc, quantity }
  const { name, strength } = namedParts(drug)
  return {
    name: must(['drugs.0.name', drug.from], name),
    dosage: may(['drugs.0.dosage', 'Medication.ingredient.strength'], strength),
    quantity,
  }
}

/** A whole number above 0. Never rounded: the formats of a PA carry no fraction (specification, CodedPrescription). */
function whole(
  quantity: Quantity | undefined,
  read: (value: number, quantity: Quantity) => number | undefined,
): Found<number> {
  if (quantity?.value === undefined) return absent
  if (quantity.comparator !== undefined) return unusable('only a bound')
  const value = read(quantity.value, quantity)
  if (value === undefined) return unusable('not in days or weeks')
  return wholeQuantity.safeParse(value).success ? found(value) : unusable('not a whole number above 0')
}

/** Days; a month has no certain number of them. */
function daysIn(value: number, { system, code, unit }: Quantity): number | undefined {
  const said = system === undefined || system === ucum ? (code ?? unit ?? '') : (unit ?? '')
  if (/^(d|days?)$/i.test(said)) return value
  return /^(wk|weeks?)$/i.test(said) ? value * 7 : undefined
}

/** A day without a time is sent as its beginning; the zone may be omitted (specification, Prescription). */
function toMoment(authored: string): string | undefined {
  if (/^\d{4}-\d{2}-\d{2}$/.test(authored)) return `${authored}T00:00:00`
  return /^\d{4}-\d{2}-\d{2}T/.test(authored) ? authored : undefined
}

/** The NCIt code of a unit, from NCIt itself, UCUM or the unit's name. */
function unitOf(quantity: Quantity | undefined): Found<string> {
  const { system, code = '', unit = '' } = quantity ?? {}
  if (system === ncit && /^C\d+$/.test(code)) return found(code)
  const ncitCode = unitCodes.get((system === ucum ? code : unit).toLowerCase()) ?? unitCodes.get(unit.toLowerCase())
  if (ncitCode !== undefined) return found(ncitCode)
  return code === '' && unit === '' ? absent : unusable('a unit without a known code of NCIt')
}
