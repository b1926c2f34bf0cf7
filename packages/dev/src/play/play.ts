import { randomUUID } from 'node:crypto'
import { createApi } from 'pawl-client/api/client'
import { benefitVerification, priorAuthorization } from '@pawl/sandbox/documents/request-examples'
import { ndpSubmission } from '@pawl/sandbox/sample-requests'
import type { Play } from './play-names.ts'

/** Creates a prior authorization that will be approved, its prescription transferred, or a benefit verification; resolves with its id. */
export async function play(what: Play, { url, token }: { url: string; token: string }): Promise<string> {
  const api = createApi({ baseUrl: url, token })
  if (what === 'bv') return (await api.createBenefitVerification(benefitVerification)).id
  // The service accepts each prescription message once.
  const ndp_submission = { ...ndpSubmission, prescription_message_id: `rx-${randomUUID()}` }
  return (await api.createPriorAuthorization({ ...priorAuthorization, ndp_submission })).id
}
