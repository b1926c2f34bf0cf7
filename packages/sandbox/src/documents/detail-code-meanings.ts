import type { allDetailCodes } from 'pawl-client/schemas/outcome'

/** Meanings of a PA outcome's detail codes, inferred from the name if the documents have none. */
export const detailCodeMeanings: Record<(typeof allDetailCodes)[number], string> = {
  approval: 'The payer approved the PA.',
  existing_approval: 'The payer approved the drug for this patient before; that approval still holds.',
  prior_auth_not_required: 'The plan covers the drug without a PA.',
  formulary_alternative_preferred: 'The plan prefers another drug of its formulary.',
  medical_necessity_criteria_not_met: 'The request does not show the medical necessity.',
  plan_exclusion: "The plan excludes the drug, regardless of the patient's need.",
  step_therapy_criteria_not_met: 'The plan requires step therapy with other drugs first.',
  existing_denial: 'The payer denied the drug for this patient before; that denial still holds.',
  coverage_limits_exceeded: 'The request exceeds a limit of the plan, such as the quantity.',
  prior_weight_loss_program_required: 'The plan requires a weight loss program before the drug.',
  unknown: 'The payer denied the PA without a known reason.',
  eligibility_check_error: "The check of the patient's eligibility failed.",
  eligibility_check_government_plan: 'The eligibility check found a plan of a government program.',
  prescription_message_not_found: 'The prescription message named in `ndp_submission` was not found.',
  more_information_required: 'Information is missing; supply it in a new PA that names this one.',
  formulary_alternative_required: 'The plan requires another drug of its formulary.',
  benefit_verification_no_medication_coverage:
    'The BV that the PA started found that the plan does not cover the drug.',
  benefit_verification_only_alternative_medication_covered:
    'The BV that the PA started found that the plan covers only an alternative.',
  benefit_verification_pa_not_required: 'The BV that the PA started found that the drug needs no PA.',
  pbm_excluded: 'The service submits no PA to this pharmacy benefit manager (PBM).',
  payer_not_supported: 'The service cannot submit a PA to this payer.',
  coverage_inactive: "The patient's coverage is not active.",
  coverage_not_yet_started: "The patient's coverage begins later.",
  no_pharmacy_benefits: 'The plan has no pharmacy benefits.',
  payer_unable_to_locate_member: 'The payer finds no member with the submitted data.',
  npi_taxonomy_ineligible: "The prescriber's specialty (taxonomy of the NPI) may not request this drug.",
  payer_reported_invalid_patient_info: 'The payer says that the submitted patient data is wrong.',
  duplicate_request: 'The payer already has the same request.',
  patient_consent_required: "The payer requires the patient's consent first.",
  other: 'A reason without a code; see `outcome.detail`.',
}
