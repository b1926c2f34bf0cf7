import type { PriorAuthorizationRecord } from '../records.ts'
import type { Store } from '../platform/store.ts'

/** Where the link from a prescription message to its PA is kept. */
export const messageKey = (organization: string, messageId: string) => `${organization}/${messageId}`

/** Remembers which PA has the prescription message. */
export function linkPrescriptionMessage(store: Store, { id, organization, resource }: PriorAuthorizationRecord): void {
  const message = resource.ndp_submission?.prescription_message_id
  if (message === undefined) return
  store.save({
    kind: 'prescription_message',
    id: messageKey(organization, message),
    organization,
    priorAuthorizationId: id,
  })
}
