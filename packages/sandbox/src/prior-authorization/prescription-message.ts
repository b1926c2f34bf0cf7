import type { Shelf } from '../platform/store.ts'
import type { PrescriptionMessageRecord, PriorAuthorizationRecord } from './record.ts'

/** Id of the record that links a prescription message to its PA. */
export const messageKey = (organization: string, messageId: string) => `${organization}/${messageId}`

/** Records the PA of a prescription message. */
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
