import { z } from 'zod'
import { insuranceFields, PatientRequest, ProviderRequest } from './people.ts'
import { insured } from './rules.ts'
import { ndc, text } from './text.ts'

/** Body of POST /pa-status. Announced only, its shape not shown: a guess at what it takes to find a patient's PAs, and subject to change. */
export const PaStatusRequest = insured(
  z.strictObject({
    patient: PatientRequest,
    provider: ProviderRequest.optional(),
    ...insuranceFields,
    drugs: z.array(z.union([z.strictObject({ name: text }), z.strictObject({ ndc })])).optional(),
  }),
)
export type PaStatusRequest = z.infer<typeof PaStatusRequest>
