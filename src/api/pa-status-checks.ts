import { z } from 'zod'
import { open, openEnum, openList } from '../resources/open.ts'
import { PaStatusRequest } from '../resources/requests/pa-status.ts'
import type { Caller } from './caller.ts'
import { create, type Created } from './create.ts'
import { readData } from './data.ts'
import { type CallOptions, checkedBody } from './request.ts'

/** The asynchronous PA status checks. Unreleased: announced only, and may change incompatibly (specification, Endpoint rules; supplement, Other endpoints). */
export interface PaStatusCheckCalls {
  /** POST /pa-status. Unreleased. Throws RequestInvalid before sending, ApiOutcomeUnknown. */
  createPaStatusCheck(request: PaStatusRequest, options?: CallOptions): Promise<Created>
  /** GET /pa-status/{id}. Unreleased. An empty list of a completed check means that none was found. Throws ApiNotFound. */
  getPaStatusCheck(id: string, options?: CallOptions): Promise<PaStatusCheck>
}

const PaStatusCheck = z.looseObject({
  id: open(z.string()),
  status: openEnum(['pending', 'completed', 'failed']),
  failure_reason: open(z.string()),
  effective_processing_method: open(openEnum(['instant', 'standard'])),
  /** Absent until the check is completed. */
  prior_authorizations: openList(
    z.looseObject({ status: open(openEnum(['approved', 'denied', 'in_progress', 'other'])) }),
  ),
})
export type PaStatusCheck = z.infer<typeof PaStatusCheck>

/** Makes the status check endpoints upon a caller. */
export function createPaStatusCheckCalls(call: Caller): PaStatusCheckCalls {
  return {
    async createPaStatusCheck(request, options) {
      const body = checkedBody({ method: 'POST', route: '/pa-status' }, PaStatusRequest, request)
      return create(call, { route: '/pa-status', body, options })
    },
    getPaStatusCheck(id, options) {
      return readData(call, { method: 'GET', route: '/pa-status/{id}', id, repeatable: true, options }, PaStatusCheck)
    },
  }
}
