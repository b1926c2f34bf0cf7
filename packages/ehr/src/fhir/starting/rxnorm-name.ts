/** The parts of a clinical drug's name. */
export interface DrugParts {
  name: string
  strength: string
  form: string
}

const unit = String.raw`(?:MG|MCG|G|ML|UNT|MEQ|MMOL|%|ACTUAT|HR|IU|CELLS|BAU|PNU|\[[A-Z']+\])`
const amount = String.raw`\d[\d.,]*\s${unit}(?:/${unit})?`
const form = String.raw`(?:[A-Z][\w-]* )*(?:Tablet|Capsule|Solution|Suspension|Cream|Ointment|Gel|Lotion|Spray|Inhaler|Injector|Auto-Injector|Syringe|Cartridge|Injection|System|Patch|Powder|Suppository|Foam|Film|Granules|Drops|Implant|Syrup|Emulsion|Lozenge|Insert|Shampoo|Pellets?)`
const clinicalDrug = new RegExp(
  String.raw`^(?:(?<size>\d[\d.]* (?:ML|ACTUAT|HR|MG)) )?(?<name>\S.*?) (?<strength>${amount}) (?<form>${form})(?: \[(?<brand>[^\]]+)\])?$`,
)

/**
 * The parts of a clinical drug with one ingredient, named in RxNorm's form: ingredient, strength, dose form, and in brackets the brand
 * (RxNorm Technical Documentation, Appendix 2). Undefined for any other name.
 */
export function rxNormParts(named: string): DrugParts | undefined {
  const { size, name, strength, form: dose, brand } = clinicalDrug.exec(named.trim())?.groups ?? {}
  if (name === undefined || strength === undefined || dose === undefined || name.includes(' / ')) return undefined
  return {
    name: brand === undefined ? name : `${name} [${brand}]`,
    strength: size === undefined ? strength : `${strength} (${size})`,
    form: dose,
  }
}
