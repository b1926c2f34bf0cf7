import type { Shelf } from '../platform/store.ts'
import type { PrescriptionMessageRecord, PriorAuthorizationRecord } from './record.ts'

/** Where the link from a prescription message to its PA is kept. */
export const messageKey = (organization: string, messageId: string) => `${organization}/${messageId}`

/** Remembers which PA has the prescription message. */
export function linkPrescriptionMessage(
  shelf: Shelf<PrescriptionMessageRecord>,
  { id, organization, resource }: PriorAuthorizationRecord,
): void {
  const message = resource.ndp_submission?.prescription_message_id
  if (message === undefined) return
  shelf.save({
    kind: 'prescription_message',
    id: messageKey(organization, message),
    organization,
    priorAuthorizationId: id,
  })
}
