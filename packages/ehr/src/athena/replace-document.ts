import type { Memory } from '@pawl/connector/system'
import type { AthenaClient } from './athena-client.ts'

/** A document to be in the chart. */
export interface WantedDocument {
  /** Tells the documents of a resource apart. */
  role: string
  patientId: string
  /** Stands for patient and content: the same mark, the same document. */
  mark: string
  /** Files it under the mark, and resolves with its id. */
  add(): Promise<string>
  /** Called when the document stands in the chart anew. */
  wrote(id: string): void
  /** Called for a former document that athenaOne does not delete. */
  kept(id: string): void
}

/** A document as memory has it. */
interface Place {
  id: string
  patientId: string
  mark: string
}

/** The id of no document. */
const none = '-'

/**
 * Brings a document of the chart to its newest content: files the new one, then deletes the one that it replaces. athenaOne neither changes a file nor
 * recognises a repeated one. So the mark is remembered before it is sent, and what may have arrived is looked for by it. Throws the errors of the client.
 */
export async function replaceDocument(
  { role, patientId, mark, add, wrote, kept }: WantedDocument,
  memory: Memory,
  client: Pick<AthenaClient, 'find' | 'remove'>,
): Promise<void> {
  const [filedRole, sentRole, formerRole] = [`${role} filed`, `${role} sent`, `${role} former`]
  const filed = placeOf(await memory.read(filedRole))
  const sent = placeOf(await memory.read(sentRole))
  const former = new Set((await memory.read(formerRole))?.digest?.split(' '))

  let wanted = filed?.mark === mark ? filed : undefined
  const isPending = sent !== undefined && sent.mark !== filed?.mark
  if (isPending || wanted === undefined) {
    const arrived = isPending ? await client.find(sent.patientId, sent.mark) : undefined
    if (filed !== undefined) former.add(toText(filed))
    if (isPending && sent.mark !== mark && arrived !== undefined) former.add(toText({ ...sent, id: arrived }))
    if (former.size > 0) await memory.write(formerRole, { id: none, digest: [...former].join(' ') })
    if (sent?.mark !== mark) await memory.write(sentRole, { id: none, version: patientId, digest: mark })
    if (wanted === undefined) {
      const id = (sent?.mark === mark ? arrived : undefined) ?? (await add())
      wanted = { id, patientId, mark }
      await memory.write(filedRole, { id, version: patientId, digest: mark })
      wrote(id)
    }
  }
  if (former.size === 0) return
  // An attempt at another content may have named it.
  former.delete(toText(wanted))
  for (const each of former) {
    const [ofPatient = '', id = ''] = each.split('/')
    if (!(await client.remove(ofPatient, id))) kept(id)
  }
  await memory.write(formerRole, { id: none })
}

function toText({ patientId, id }: Place): string {
  return `${patientId}/${id}`
}

function placeOf(remembered: Awaited<ReturnType<Memory['read']>>): Place | undefined {
  const { id, version: patientId, digest: mark } = remembered ?? {}
  return id === undefined || patientId === undefined || mark === undefined ? undefined : { id, patientId, mark }
}
