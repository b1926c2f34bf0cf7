import { z } from 'zod'
import { date } from '../../resources/requests/text.ts'

const string = z.string()

/** One PA that a status check found; unreleased, all but `status` is a guess (supplement, Other endpoints). */
export const FoundPriorAuthorization = z.strictObject({
  status: z.enum(['approved', 'denied', 'in_progress', 'other']),
  drug: z.union([z.strictObject({ name: string }), z.strictObject({ ndc: string })]),
  authorization_start_date: date.nullable(),
  authorization_expiration: date.nullable(),
})
export type FoundPriorAuthorization = z.infer<typeof FoundPriorAuthorization>

/** A PA status check; unreleased (supplement, Other endpoints). */
export const PaStatusCheck = z.strictObject({
  id: string,
  object: z.literal('pa_status'),
  status: z.enum(['pending', 'completed', 'failed']),
  failure_reason: string.nullable(),
  effective_processing_method: z.enum(['instant', 'standard']),
  /** Null until completed; empty: none found. */
  prior_authorizations: z.array(FoundPriorAuthorization).nullable(),
})
export type PaStatusCheck = z.infer<typeof PaStatusCheck>
