import { z } from 'zod'
import { ClinicalEvidenceRequest, QuestionnaireRequest, VisitNoteRequest } from './evidence.ts'
import { diagnosesRequest, InsuranceCardRequest, PatientRequest, ProviderRequest } from './people.ts'
import { text, wholeQuantity } from './text.ts'

/** Body of POST /clinical-qualification. Required flags are not shown: patient, provider and the names of the drugs are required, the rest is optional. */
export const ClinicalQualificationRequest = z.strictObject({
  patient: PatientRequest,
  provider: ProviderRequest,
  drugs: z
    .array(
      z.strictObject({
        drug_name: text,
        strength: z.string().optional(),
        dose_form: z.string().optional(),
        route_of_administration: z.string().optional(),
        directions: z.string().optional(),
        quantity: wholeQuantity.optional(),
        days_supply: wholeQuantity.optional(),
      }),
    )
    .min(1),
  diagnoses: diagnosesRequest.optional(),
  evidence: z.array(ClinicalEvidenceRequest).optional(),
  insurance: z.array(InsuranceCardRequest).optional(),
  questionnaires: z.array(QuestionnaireRequest).optional(),
  visit_notes: z.array(VisitNoteRequest).optional(),
})
export type ClinicalQualificationRequest = z.infer<typeof ClinicalQualificationRequest>
