import type { Created } from '../schemas/answers.ts'
import { PaStatusCheck, PaStatusRequest } from '../schemas/pa-status.ts'
import { create } from './create.ts'
import { readData } from './data.ts'
import { type CallOptions, checkedBody } from './request.ts'
import type { Send } from './send.ts'

/** The asynchronous PA status checks. Unreleased: announced only, and may change incompatibly (specification, Endpoint rules; supplement, Other endpoints). */
export interface PaStatusCheckCalls {
  /** POST /pa-status. Unreleased. Throws RequestInvalid before sending, ApiOutcomeUnknown. */
  createPaStatusCheck(request: PaStatusRequest, options?: CallOptions): Promise<Created>
  /** GET /pa-status/{id}. Unreleased. The list of a completed check is empty if it found no PA. Throws ApiNotFound. */
  getPaStatusCheck(id: string, options?: CallOptions): Promise<PaStatusCheck>
}

/** Makes the status check calls. */
export function createPaStatusCheckCalls(send: Send): PaStatusCheckCalls {
  return {
    async createPaStatusCheck(request, options) {
      const body = checkedBody({ method: 'POST', route: '/pa-status' }, PaStatusRequest, request)
      return create(send, { route: '/pa-status', body, options })
    },
    getPaStatusCheck(id, options) {
      return readData(send, { method: 'GET', route: '/pa-status/{id}', id, repeatable: true, options }, PaStatusCheck)
    },
  }
}
