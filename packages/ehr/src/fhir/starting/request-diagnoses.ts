import type { CodeableConcept, Condition, MedicationRequest } from 'fhir/r4.js'
import { absent, type Findings, type Found, found, unusable } from './create-findings.ts'
import { codesOf, refersTo } from './pick.ts'

const icd10 = ['http://hl7.org/fhir/sid/icd-10-cm', 'http://hl7.org/fhir/sid/icd-10']

/** The ICD-10 codes of the reasons that the prescription itself names, in its order. Other conditions of the patient are no reasons. */
export function requestDiagnoses(
  { should }: Findings,
  { reasonCode = [], reasonReference = [] }: MedicationRequest,
  conditions: readonly Condition[],
): { code: string }[] | undefined {
  const referred = reasonReference.flatMap((reference) =>
    conditions.filter((each) => refersTo(reference, 'Condition', each.id) && isSound(each)).map(({ code }) => code),
  )
  const reasons: (CodeableConcept | undefined)[] = [...reasonCode, ...referred]
  const codes = [
    ...new Set(reasons.flatMap((reason) => codesOf(reason, icd10).flatMap(({ code }) => code?.trim() ?? []))),
  ]
  const said: Found<string> =
    codes.length > 0
      ? found(codes.join(' '))
      : reasonCode.length + reasonReference.length === 0
        ? absent
        : unusable('the reasons have no code of ICD-10')
  const listed = should(['diagnoses', 'MedicationRequest.reasonCode, reasonReference'], said)
  return listed === undefined
    ? undefined
    : listed
        .split(/[\s,]+/)
        .filter(Boolean)
        .map((code) => ({ code }))
}

const verification = 'http://terminology.hl7.org/CodeSystem/condition-ver-status'

function isSound({ verificationStatus }: Condition): boolean {
  return !codesOf(verificationStatus, [verification]).some(({ code = '' }) =>
    ['refuted', 'entered-in-error'].includes(code),
  )
}
