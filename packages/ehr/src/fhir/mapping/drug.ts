import type { CodeableConcept } from 'fhir/r4.js'
import type { BenefitVerificationDrug } from 'pawl-client/schemas/benefit-verification'
import type { Medication } from 'pawl-client/schemas/prior-authorization-request'
import { toNdc11 } from 'pawl-client/schemas/text'
import type { Subject } from '../../ehr.ts'
import { join, text } from '../../primitives.ts'
import { isBenefitVerification } from './is-benefit-verification.ts'

/** A drug as the service names it: by name, by NDC, or both. */
export interface NamedDrug {
  name?: string | undefined
  ndc?: string | undefined
}

/** The prescribed drug with strength and form. */
export function prescribedDrug(medication: Medication | undefined): NamedDrug {
  const name = join([medication?.drug_name, medication?.strength, medication?.dose_form], ' ')
  return { name, ndc: text(medication?.ndc) }
}

/** A drug of a BV with its dosage. */
export function verifiedDrug({ name, dosage, ndc }: BenefitVerificationDrug): NamedDrug {
  return { name: join([name, dosage], ' '), ndc: text(ndc) }
}

/** A drug in words, with the NDC as sent. */
export function drugLabel({ name, ndc }: NamedDrug): string | undefined {
  const coded = ndc && `NDC ${ndc.trim()}`
  return name === undefined ? coded : join([name, coded && `(${coded})`], ' ')
}

/** The drugs of a BV in one line. */
export function drugNames(drugs: readonly BenefitVerificationDrug[] = []): string | undefined {
  return join(
    drugs.map((drug) => drugLabel(verifiedDrug(drug))),
    ', ',
  )
}

/** A drug by its 11-digit NDC and in words; undefined without a name or NDC. */
export function drugConcept(drug: NamedDrug): CodeableConcept | undefined {
  const label = drugLabel(drug)
  if (label === undefined) return undefined
  const code = toNdc11(drug.ndc)
  return { ...(code !== undefined && { coding: [{ system: 'http://hl7.org/fhir/sid/ndc', code }] }), text: label }
}

/** The most common dosage units (NCIt, subset C89510); `C38046` means unspecified. */
const units: ReadonlyMap<string, string> = new Map([
  ['C38046', ''],
  ['C48542', 'tablets'],
  ['C48480', 'capsules'],
  ['C28254', 'mL'],
  ['C48155', 'g'],
  ['C64933', 'each'],
])

/** The NCIt codes by unit in lower case: as named here, in the singular, and as an annotation of UCUM. */
export const unitCodes: ReadonlyMap<string, string> = new Map(
  [...units].flatMap(([code, name]) => {
    const one = name.toLowerCase().replace(/s$/, '')
    return one === '' ? [] : [one, `${one}s`, `{${one}}`].map((unit): [string, string] => [unit, code])
  }),
)

/** The prescribed quantity with its unit, if known. */
export function quantityOf(medication: Medication | undefined): string | undefined {
  if (medication?.quantity === undefined) return undefined
  const unit = text(medication.quantity_unit_of_measure)
  return join([String(medication.quantity), unit && (units.get(unit) ?? unit)], ' ')
}

/** Drug, quantity and days of supply in one line. */
export function prescriptionLine(medication: Medication | undefined): string | undefined {
  const quantity = quantityOf(medication)
  const days = medication?.days_supply
  return join(
    [
      drugLabel(prescribedDrug(medication)),
      quantity && `quantity ${quantity}`,
      days === undefined ? undefined : `${days} days' supply`,
    ],
    ', ',
  )
}

/** The drugs that a subject is about, in one line. */
export function drugLine(subject: Subject): string | undefined {
  return isBenefitVerification(subject) ? drugNames(subject.drugs) : prescriptionLine(subject.prescription)
}
