import { z } from 'zod'
import { refuseUnfit } from '../platform/resource-control.ts'
import { PaStatusResource } from '../../service/schemas/pa-status.ts'

/** What a control gives a PA status check that it pushes: a new status, and a result in place of the one that would be found. */
export const PaStatusPush = z.strictObject({
  status: z.string().min(1),
  /** Of a failed one. */
  failure_reason: z.string().min(1).optional(),
  /** Of a completed one. */
  prior_authorizations: PaStatusResource.shape.prior_authorizations.unwrap().optional(),
})
export type PaStatusPush = Omit<z.infer<typeof PaStatusPush>, 'status'>

const fitting: Partial<Record<string, readonly string[]>> = {
  completed: ['prior_authorizations'],
  failed: ['failure_reason'],
}

/** Throws `Refusal` 409 for a result that does not go with the status. */
export function checkPush(status: string, push: PaStatusPush): void {
  refuseUnfit(status, push, fitting[status] ?? [])
}
