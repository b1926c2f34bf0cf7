import { z } from 'zod'
import { insuranceFields, PatientRequest, ProviderRequest } from './people.ts'
import { atLeastOneOf } from './rules.ts'
import { ndc, text } from './text.ts'

/** Body of POST /pa-status. Announced only and its shape not shown: a guess from what finding a patient's PAs takes, subject to change. */
export const PaStatusRequest = atLeastOneOf(
  z.strictObject({
    patient: PatientRequest,
    provider: ProviderRequest.optional(),
    ...insuranceFields,
    drugs: z.array(z.union([z.strictObject({ name: text }), z.strictObject({ ndc })])).optional(),
  }),
  ['insurance', 'insurance_content'],
)
export type PaStatusRequest = z.infer<typeof PaStatusRequest>
