import { z } from 'zod'
import { ClinicalEvidenceRequest, QuestionnaireRequest, VisitNoteRequest } from './clinical-content.ts'
import { InsuranceCardRequest, ShownInsurance } from './insurance.ts'
import { lenientOf } from './lenient.ts'
import { diagnosesRequest, PatientRequest, ProviderRequest } from './people.ts'
import { saidIn } from './said.ts'
import { essential } from './shape.ts'
import { text, wholeQuantity } from './text.ts'

const asked = saidIn('specification, Clinical qualification create request')
const words = z.string().optional()

const Drug = z.strictObject({
  drug_name: text.meta(asked('Name of the drug; not empty.')),
  strength: words.meta(asked('Strength of one unit, as `10 mg`.')),
  dose_form: words.meta(asked('Dose form, such as `Injection, solution`.')),
  route_of_administration: words.meta(asked('Route of administration.', { examples: ['subcutaneous'] })),
  directions: words.meta(asked('Directions for the patient.', { examples: ['once a week'] })),
  quantity: wholeQuantity.optional().meta(asked('Dispensed units; whole, above 0.')),
  days_supply: wholeQuantity.optional().meta(asked('Days of supply; whole, above 0.')),
})

const clinical = {
  diagnoses: diagnosesRequest.meta(asked('Diagnoses behind the prescription.')),
  evidence: z.array(ClinicalEvidenceRequest).meta(asked('Clinical facts, as JSON objects.')),
  questionnaires: z.array(QuestionnaireRequest).meta(asked('Questions with their answers.')),
  visit_notes: z.array(VisitNoteRequest).meta(asked('Notes of visits.')),
}

/** Body of POST /clinical-qualification. The specification does not state its required fields. Patient, provider and the names of the drugs are required, the rest is optional. */
export const ClinicalQualificationRequest = z.strictObject({
  patient: PatientRequest.meta(asked('The patient to qualify.')),
  provider: ProviderRequest.meta(asked('Who prescribes.')),
  drugs: z.array(Drug).min(1).meta(asked('The drugs; each gets its own result. At least one.')),
  ...z.strictObject(clinical).partial().shape,
  insurance: z.array(InsuranceCardRequest).optional().meta(asked('Sides of the insurance card, one per item.')),
})
export type ClinicalQualificationRequest = z.infer<typeof ClinicalQualificationRequest>

const shown = saidIn('specification, Clinical qualification resource')

/** A clinical qualification as returned by GET, one result per drug (specification, Clinical qualification resource). */
export const ClinicalQualificationResource = ClinicalQualificationRequest.extend({
  id: essential(text.meta(shown('Id of the clinical qualification: `cq_` and letters and digits.'))),
  object: z.literal('clinical_qualification').meta(shown('Tells the kind of resource.')),
  insurance: z.array(ShownInsurance).meta(shown('The insurance as read from the card; empty without one.')),
  ...clinical,
  results: z
    .array(
      z.strictObject({
        drug: Drug.meta(shown('The drug as submitted.')),
        status: z
          .enum(['pending', 'qualified', 'unqualified', 'unknown'])
          .meta(
            saidIn('supplement, Statuses')(
              'Whether the patient meets the criteria of the plan: `pending` until evaluated, `unknown` if the plan gives no answer.',
            ),
          ),
        unqualified_reasons: z
          .array(
            z.strictObject({
              description: z
                .string()
                .meta(
                  shown('One reason, as text for people.', { examples: ['The criteria of the plan are not met.'] }),
                ),
            }),
          )
          .meta(shown('Reasons; empty unless the status is `unqualified`.')),
      }),
    )
    .meta(shown('One for each drug, in the order of `drugs`.')),
})
export type ClinicalQualificationResource = z.infer<typeof ClinicalQualificationResource>

/** A clinical qualification, read leniently: only `id` is required. */
export const ClinicalQualification = lenientOf(ClinicalQualificationResource)
export type ClinicalQualification = z.infer<typeof ClinicalQualification>
