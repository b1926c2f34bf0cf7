import type { RunContext } from '@pawl/connector/system'
import { EhrWriteFailed } from '../ehr-write-failed.ts'
import type { Remembered } from '../fhir/memo.ts'
import type { MdmEvent } from './mdm-message.ts'

/** A message's place in the history of its document, remembered before it is sent, so that a retry has the same ids and time. */
export interface MessagePlace {
  event: MdmEvent
  controlId: string
  /** The document's number; for T11, of the document that ends. */
  number: string
  /** The number of the document that it replaces. */
  parent: string | undefined
  at: number
  /** Whether the listener may have it from an earlier attempt. */
  isRepeated: boolean
}

/** A document to send: digests stand for the patient's number and the content. */
export interface ToldDocument {
  /** Tells the documents of a resource apart. */
  role: string
  patient: string
  /** Absent: the document is cancelled. */
  content: string | undefined
  /** Whether a changed document gets a number of its own, by T10; otherwise it keeps the first one's, by T02. */
  replacesByT10: boolean
}

/** A message as memory has it. */
interface Sent {
  event: MdmEvent
  sequence: number
  at: number
  number: string
  parent: string | undefined
  patient: string
  content: string
}

const calledOff = 'called-off'
/** The content of a message whose repetition had other words: the listener has one of both. */
const uncertain = 'uncertain'

/**
 * Brings a document at the listener to its newest state. A listener cannot be read, so memory decides: a message that may have arrived is repeated with the
 * same ids until it is acknowledged, and only then the next state replaces it. A refusal of the replacement shows whether the former document is gone. Throws the
 * errors of `send`.
 */
export async function tellDocument(
  { role, patient, content = calledOff, replacesByT10 }: ToldDocument,
  { resourceId, memory, digest, wrote }: Pick<RunContext, 'resourceId' | 'memory' | 'digest' | 'wrote'>,
  now: number,
  send: (place: MessagePlace) => Promise<void>,
): Promise<void> {
  const [sentRole, takenRole] = [`${role} sent`, `${role} taken`]
  const sent = read(await memory.read(sentRole))
  let taken = read(await memory.read(takenRole))

  const idOf = (kind: 'document' | 'message', { sequence, at }: Pick<Sent, 'sequence' | 'at'>) =>
    digest(`${kind} ${resourceId} ${role} ${sequence} ${at}`).slice(0, 16).toUpperCase()

  /** The message from the state `before` to the wanted one; undefined if there is no document to cancel. */
  function follow(before: Sent | undefined, newest: Sent | undefined): Sent | undefined {
    const held = before?.patient === patient ? heldAfter(before) : undefined
    const next = { sequence: (newest?.sequence ?? 0) + 1, at: now, patient, content }
    if (content === calledOff)
      return held === undefined ? undefined : { ...next, event: 'T11', number: held, parent: undefined }
    if (held === undefined || replacesByT10)
      return { ...next, event: held === undefined ? 'T02' : 'T10', number: idOf('document', next), parent: held }
    return { ...next, event: 'T02', number: held, parent: undefined }
  }

  async function tell(message: Sent, isRepeated: boolean): Promise<void> {
    const { event, number, parent, at, sequence } = message
    if (!isRepeated) await memory.write(sentRole, toRemembered(message))
    await send({ event, number, parent, at, controlId: idOf('message', message), isRepeated })
    await memory.write(takenRole, toRemembered(message))
    taken = message
    wrote({ type: `MDM^${event}`, id: number, version: String(sequence) })
  }

  /** Sends it. Resolves with the listener's refusal, if any. */
  async function refusalOf(message: Sent, isRepeated: boolean): Promise<EhrWriteFailed | undefined> {
    try {
      await tell(message, isRepeated)
      return undefined
    } catch (error) {
      if (error instanceof EhrWriteFailed && error.retry === 'never') return error
      throw error
    }
  }

  const isSame = sent?.patient === patient && sent.content === content
  const isTaken = sent !== undefined && taken?.sequence === sent.sequence
  if (isSame && isTaken) return
  const isPending = sent?.patient === patient && !isTaken
  let base = isPending && content === calledOff ? sent : taken
  if (isPending && !isSame && content !== calledOff) {
    // Do not build on a message that may not have arrived. If it did not, the repeated one brings the current words under its number.
    // A process that ends before the next message must not assume that the listener has the former content.
    const either = { ...sent, content: uncertain }
    await memory.write(sentRole, toRemembered(either))
    const refusal = await refusalOf(either, true)
    base = refusal?.isGone === true && formerOf(sent) === heldAfter(taken) ? undefined : taken
  }
  let message = isSame ? sent : follow(base, sent)
  let isRepeated = isSame
  while (message !== undefined) {
    const refusal = await refusalOf(message, isRepeated)
    if (refusal === undefined) return
    const former = formerOf(message)
    // The first message of a document, or the successor of an acknowledged one that is not gone.
    if (former === undefined || (former === heldAfter(taken) && !refusal.isGone)) throw refusal
    const refused: Sent = message
    message = follow(former === heldAfter(taken) ? undefined : taken, refused)
    isRepeated = false
    if (message === undefined) await memory.write(takenRole, toRemembered(refused))
  }
}

/** The number of the document that a message replaces or ends. */
function formerOf({ event, number, parent }: Sent): string | undefined {
  return event === 'T11' ? number : parent
}

/** The number of the document that the listener holds after this message. */
function heldAfter(sent: Sent | undefined): string | undefined {
  return sent === undefined || sent.event === 'T11' ? undefined : sent.number
}

function toRemembered({ event, sequence, at, number, parent = '', patient, content }: Sent): Remembered {
  return { id: number, version: `${sequence} ${at} ${event} ${parent}`, digest: `${patient} ${content}` }
}

function read(remembered: Remembered | undefined): Sent | undefined {
  const [sequence, at, event, parent] = remembered?.version?.split(' ') ?? []
  const [patient, content] = remembered?.digest?.split(' ') ?? []
  if (remembered === undefined || patient === undefined || content === undefined) return undefined
  if (event !== 'T02' && event !== 'T10' && event !== 'T11') return undefined
  return {
    event,
    sequence: Number(sequence),
    at: Number(at),
    number: remembered.id,
    parent: parent === '' ? undefined : parent,
    patient,
    content,
  }
}
