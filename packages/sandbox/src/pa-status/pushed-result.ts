import { z } from 'zod'
import { refuseUnfit } from '../platform/resource-control.ts'
import { PaStatusResource } from 'pawl-client/schemas/pa-status'

/** A control's push of a PA status check: a new status, and a result that overrides the found one. */
export const PaStatusPush = z.strictObject({
  status: z.string().min(1),
  /** Goes with `failed`. */
  failure_reason: z.string().min(1).optional(),
  /** Goes with `completed`. */
  prior_authorizations: PaStatusResource.shape.prior_authorizations.unwrap().optional(),
})
export type PaStatusPush = Omit<z.infer<typeof PaStatusPush>, 'status'>

const fitting: Partial<Record<string, readonly string[]>> = {
  completed: ['prior_authorizations'],
  failed: ['failure_reason'],
}

/** Throws `Refusal` 409 for a result that does not fit the status. */
export function checkPush(status: string, push: PaStatusPush): void {
  refuseUnfit(status, push, fitting[status] ?? [])
}
