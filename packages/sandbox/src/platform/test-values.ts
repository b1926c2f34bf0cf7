import { type ErrorCode } from 'pawl-client/schemas/documented-errors'
import { refuse, type Refusal } from './refusal.ts'
import { nameOf, operations } from './operations.ts'

/** Request values that trigger results which chance never draws. All begin with `sandbox:`, or with zeros where the schema requires digits. */
export const testValues = {
  /** `patient.internal_id` of a create, followed by an error code of that operation: refused with that code. */
  refusal: 'sandbox:',
  /** `prescription.drug_name`, or `prescription.ndc`: refused with `unsupported_drug`. */
  unsupportedDrug: ['sandbox:unsupported_drug', '00000-0000-00'],
  /** `prescription.drug_name`, or `prescription.ndc`: not submitted, because the formulary has an alternative. */
  formularyAlternative: ['sandbox:formulary_alternative_required', '00000-0000-01'],
  /** Prefix of `insurance_content.member_number`: the BV fails with the code after it, as in `sandbox:error:patient_not_found`, or with code and detail code, as in `sandbox:error:patient_not_found:incorrect_dob`. */
  verificationError: 'sandbox:error:',
  /** Prefix of `insurance_content.member_number`: the BV finds the `patient_coverage_status` after it, as in `sandbox:coverage:coverage_expired`, then the type of coverage, as in `sandbox:coverage:covered:tricare`, if the request asks for the source of funds. */
  patientCoverage: 'sandbox:coverage:',
  /** Name or NDC of a drug of a BV: not covered because of the diagnoses. */
  diagnosesNotCovered: ['sandbox:diagnoses_not_covered', '00000-0000-02'],
  /** Name or NDC of a drug of a BV: covered, but the quantity needs a PA. */
  quantityLimit: ['sandbox:quantity_limit_pa_required', '00000-0000-03'],
  /** `drug_name` of a clinical qualification: unqualified regardless of the evidence. */
  unqualified: 'sandbox:unqualified',
  unknownQualification: 'sandbox:unknown',
  /** `insurance_content.rx_bin`: refused with `insurance_content_invalid_rx_bin`. */
  unknownBin: '000000',
  /** `insurance_content.plan_name`: the PA uses the Medicare GLP-1 bridge, which allows no appeals. */
  medicareBridge: 'sandbox:medicare_glp1_bridge',
  /** Text anywhere in the bytes of a card: the card is unreadable. */
  unreadableCard: 'sandbox:unreadable',
  /** Text anywhere in the bytes of a card: a PA is refused with `insurance_card_member_id_ocr_failure`. */
  cardWithoutMemberId: 'sandbox:no_member_id',
  /** Prefix of `ndp_submission.prescription_message_id`: refused with `prescription_message_not_found`. */
  unknownPrescription: 'sandbox:not_found',
  /** Prefix of `ndp_submission.prescription_message_id`: the eligibility check fails, with a code if given, as in `sandbox:eligibility_error:42:rx-1`. */
  eligibilityError: 'sandbox:eligibility_error',
  /** Prefix of `ndp_submission.prescription_message_id`: the eligibility check finds a government plan, of the given type if any, as in `sandbox:government_plan:medicaid:rx-1`. */
  governmentPlan: 'sandbox:government_plan',
  /** `provider.fax`: the fax of an outreach cannot be sent. */
  unreachableFax: '0000000000',
  /** `patient.internal_id` of a PA status check: it fails. */
  failedStatusCheck: 'sandbox:pa_status_failed',
  /** NPIs that are deactivated or that the registry fails on; last names that a search does not find or fails on. */
  deactivatedNpi: '1999999984',
  registryErrorNpi: '1999999927',
  unknownName: 'sandbox:not_found',
  registryErrorName: 'sandbox:registry_error',
} as const

/** Throws the error named by the patient's id of a create, if the operation documents it. */
export function refuseByTestValue(
  operation: string,
  patientId: string | undefined,
  refusalOf: (code: ErrorCode) => Refusal = refuse,
): void {
  if (patientId === undefined || !patientId.startsWith(testValues.refusal)) return
  const wanted = patientId.slice(testValues.refusal.length)
  const errors: readonly ErrorCode[] = operations.find((one) => nameOf(one) === operation)?.errors ?? []
  const code = errors.find((candidate) => candidate === wanted)
  if (code !== undefined) throw refusalOf(code)
}
