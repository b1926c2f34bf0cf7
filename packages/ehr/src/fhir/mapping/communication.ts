import type { Communication, Reference } from 'fhir/r4.js'
import type { Message, PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import type { MappingContext } from './context.ts'
import { messageLines } from '../../narrative/message-narrative.ts'
import { filled, text, toDateTime } from '../../primitives.ts'
import { identifierOf, priorAuthorizationTask } from './references.ts'

/** One message of a PA's thread. Attachments are named without their URLs, which expire within the hour; `files` are those filed in the chart. */
export function toCommunication(
  context: MappingContext,
  pa: PriorAuthorization,
  message: Message,
  files: readonly Reference[] = [],
): Communication {
  return {
    resourceType: 'Communication',
    // A message's id is unique within its PA only.
    identifier: [identifierOf(context.base, 'prior-authorization-message', `${pa.id}/${message.id}`)],
    partOf: [priorAuthorizationTask(context.base, pa.id)],
    status: 'completed',
    subject: context.patient,
    sent: toDateTime(message.timestamp),
    ...partiesOf(message),
    ...(context.messageRecipient && { recipient: [context.messageRecipient] }),
    payload: filled([
      ...messageLines(message).map((contentString) => ({ contentString })),
      ...files.map((contentReference) => ({ contentReference })),
    ]),
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
