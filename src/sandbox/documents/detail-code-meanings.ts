import type { allDetailCodes } from '../../service/schemas/outcome.ts'

/** What each detail code of a PA's outcome means; the words follow from its name where the interface's documents say no more. */
export const detailCodeMeanings: Record<(typeof allDetailCodes)[number], string> = {
  approval: 'The payer approved the PA.',
  existing_approval: 'The payer had approved the drug for this patient before; that approval holds.',
  prior_auth_not_required: 'The plan covers the drug without a PA.',
  formulary_alternative_preferred: 'The plan prefers another drug of its formulary.',
  medical_necessity_criteria_not_met: 'The payer does not see the medical necessity shown.',
  plan_exclusion: 'The plan excludes the drug, whatever the patient needs.',
  step_therapy_criteria_not_met: 'The step therapy that the plan asks for is not shown: other drugs come first.',
  existing_denial: 'The payer had denied the drug for this patient before; that denial holds.',
  coverage_limits_exceeded: 'More was asked for than the plan covers, in quantity for example.',
  prior_weight_loss_program_required: 'The plan asks for a weight loss program before the drug.',
  unknown: 'The payer denied the PA without a reason that is known.',
  eligibility_check_error: "The check of the patient's eligibility failed.",
  eligibility_check_government_plan: 'The eligibility check found a plan of a government program.',
  prescription_message_not_found: 'The prescription message that `ndp_submission` names was not found.',
  more_information_required: 'Information is missing; a new PA that names this one can supply it.',
  formulary_alternative_required: 'The plan requires another drug of its formulary.',
  benefit_verification_no_medication_coverage:
    'The BV that the PA started found that the plan does not cover the drug.',
  benefit_verification_only_alternative_medication_covered:
    'The BV that the PA started found that the plan covers only an alternative.',
  benefit_verification_pa_not_required: 'The BV that the PA started found that the drug needs no PA.',
  pbm_excluded: 'The pharmacy benefit manager (PBM) is one to which no PA is submitted.',
  payer_not_supported: 'The payer is one to which no PA can be submitted.',
  coverage_inactive: "The patient's coverage is not active.",
  coverage_not_yet_started: "The patient's coverage begins later.",
  no_pharmacy_benefits: 'The plan has no pharmacy benefits.',
  payer_unable_to_locate_member: 'The payer finds no member with what was submitted.',
  npi_taxonomy_ineligible: 'The specialty (taxonomy) of the NPI may not ask for this drug.',
  payer_reported_invalid_patient_info: 'The payer says that what was submitted of the patient is wrong.',
  duplicate_request: 'The payer has the same request already.',
  patient_consent_required: 'The payer wants the consent of the patient first.',
  other: 'A reason that has no code; `outcome.detail` says it.',
}
