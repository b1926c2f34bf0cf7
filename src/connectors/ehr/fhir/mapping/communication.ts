import type { Communication, Reference } from 'fhir/r4.js'
import type { Message, PriorAuthorization } from '../../../../resources/prior-authorization.ts'
import { text, toDateTime } from './primitives.ts'
import { identifierOf, patientReference, referenceTo } from './references.ts'

/** One message of a PA's thread. Attachments are left out: their addresses are dead within the hour. */
export function toCommunication(base: string, priorAuthorization: PriorAuthorization, message: Message): Communication {
  const content = text(message.content)
  return {
    resourceType: 'Communication',
    identifier: [identifierOf(base, 'prior-authorization-message', `${priorAuthorization.id}/${message.id}`)],
    partOf: [referenceTo('Task', identifierOf(base, 'prior-authorization', priorAuthorization.id))],
    status: 'completed',
    subject: patientReference(base, priorAuthorization.patient),
    sent: toDateTime(message.timestamp),
    ...partiesOf(message),
    payload: content === undefined ? undefined : [{ contentString: content }],
  }
}

/** `sent` and `received` as the client's team sees it (supplement, message_thread). */
function partiesOf({ direction, sent_by_name }: Message): Pick<Communication, 'sender' | 'recipient'> {
  const name = text(sent_by_name)
  const sender = (role: string): Reference => ({ display: name ?? role })
  if (direction === 'sent') return { sender: sender('Client team'), recipient: [{ display: 'Service team' }] }
  if (direction === 'received') return { sender: sender('Service team'), recipient: [{ display: 'Client team' }] }
  return name === undefined ? {} : { sender: { display: name } }
}
