import { hash } from 'node:crypto'
import { z } from 'zod'
import type { ChartClient } from './chart-client.ts'
import type { StoredResource } from './stored-resource.ts'
import type { StoredType } from './chart-types.ts'
import type { Digest } from '@pawl/connector/digest'
import type { Content } from './owned.ts'

const AnAttachment = z.looseObject({
  contentType: z.string().optional().catch(undefined),
  data: z.string().optional().catch(undefined),
  hash: z.string().optional().catch(undefined),
  size: z.number().optional().catch(undefined),
  url: z.string().optional().catch(undefined),
})
const Attached = z.array(z.looseObject({ attachment: AnAttachment }))
const Said = z.array(z.looseObject({ contentAttachment: AnAttachment }))
type AnAttachment = z.infer<typeof AnAttachment>

/** Maximum attachments read for comparison, newest first: a create lost just now is among the newest. */
const maxFetched = 20

/** Types whose content identifies a resource. */
export const markedTypes: readonly StoredType[] = ['DocumentReference', 'Communication', 'Task']

/**
 * Identifies a resource by its content, for a chart that keeps no identifier: a document by its first attachment, which names the PA or BV and
 * changes with it, a message by its text and time, or by its attachment, which holds both, a task by its description, which names the PA or BV too.
 * Undefined where another resource of the patient may have the same content.
 */
export function markOf(digest: Digest, type: StoredType, wanted: Content): string | undefined {
  if (type === 'DocumentReference') {
    const [first] = attachmentsOf(wanted)
    return first && digest(sha1sOf(first)[0] ?? '')
  }
  if (type === 'Communication') {
    const [said] = Said.safeParse(wanted.payload).data ?? []
    return digest(
      said === undefined ? JSON.stringify([wanted.sent, wanted.payload]) : (sha1sOf(said.contentAttachment)[0] ?? ''),
    )
  }
  return type === 'Task' && typeof wanted.description === 'string' ? digest(wanted.description) : undefined
}

/** Digests of what people see of a resource and every chart keeps: its status with its file, words or result. Several where an attachment states another SHA-1 than its data has. */
export function shownDigest(digest: Digest, type: StoredType, content: Content): string[] {
  return shownParts(type, content).map((part) => digest(JSON.stringify([content.status, part])).slice(0, 12))
}

function shownParts(type: StoredType, content: Content): unknown[] {
  if (type === 'Task') return [content.description]
  const [file] = type === 'DocumentReference' ? attachmentsOf(content) : saidIn(content)
  if (file !== undefined) return sha1sOf(file)
  return [type === 'Communication' ? content.payload : [content.outcome, content.disposition]]
}

function saidIn({ payload }: Content): AnAttachment[] {
  return Said.safeParse(payload).data?.map(({ contentAttachment }) => contentAttachment) ?? []
}

/** A chart's resource to compare with another or with what was written. */
export interface Comparable {
  /** Its attachments state the SHA-1 of the bytes that the chart holds, and neither these nor their address. */
  content: Content
  /** The chart made another form of an attachment, which says nothing about the bytes that pawl wrote. */
  isOtherForm: boolean
}

/** Reads a resource's attachments, as far as the chart holds them elsewhere. `taken`: content types that pawl may have written; absent: any. Throws `EhrWriteFailed`. */
export async function toComparable(
  { readAttachment }: Pick<ChartClient, 'readAttachment'>,
  resource: Content,
  taken: readonly string[] | undefined,
): Promise<Comparable> {
  let isOtherForm = false
  async function settle(attachment: AnAttachment): Promise<Content> {
    const { data, url, hash: told, ...rest } = attachment
    if (data !== undefined) return { ...rest, hash: sha1Of(Buffer.from(data, 'base64')) }
    // Without bytes and without an address it is empty, whatever it states.
    if (url === undefined) return rest
    const [essence = ''] = attachment.contentType?.split(';') ?? []
    if (taken?.includes(essence) === false) isOtherForm = true
    const content = told === undefined && !isOtherForm ? await readAttachment(url) : undefined
    return { ...rest, hash: content === undefined ? told : sha1Of(content) }
  }
  const content = { ...resource }
  const files = Attached.safeParse(resource.content).data
  if (files !== undefined)
    content.content = await Promise.all(
      files.map(async (each) => ({ ...each, attachment: await settle(each.attachment) })),
    )
  const said = Said.safeParse(resource.payload).data
  if (said !== undefined)
    content.payload = await Promise.all(
      said.map(async (each) => ({ ...each, contentAttachment: await settle(each.contentAttachment) })),
    )
  return { content, isOtherForm }
}

/** A mark to find on a resource filed no earlier than another one. */
export interface MarkSought {
  type: StoredType
  mark: string
  /** Ignore resources older than this one: an earlier content may come back. */
  after?: StoredResource | undefined
}

/** The newest candidate that carries this mark. Throws `EhrWriteFailed`. */
export async function findByMark(
  { readAttachment, digest }: Pick<ChartClient, 'readAttachment'> & { digest: Digest },
  { type, mark, after }: MarkSought,
  candidates: readonly StoredResource[],
): Promise<StoredResource | undefined> {
  const since = after === undefined ? '' : dateOf(after)
  const newest = candidates
    .filter((each) => dateOf(each) === '' || dateOf(each) >= since)
    .toSorted((a, b) => dateOf(b).localeCompare(dateOf(a)))
  if (type !== 'DocumentReference') return newest.find((each) => markOf(digest, type, each) === mark)
  const isIt = (sha1: string) => digest(sha1) === mark
  const shown = newest.find((each) => attachmentsOf(each).flatMap(sha1sOf).some(isIt))
  if (shown !== undefined) return shown
  let fetched = 0
  for (const each of newest)
    for (const { url, data, hash: told, contentType = '' } of attachmentsOf(each)) {
      if (url === undefined || data !== undefined || told !== undefined || !isOurs.test(contentType)) continue
      if (fetched === maxFetched) return undefined
      fetched += 1
      const content = await readAttachment(url)
      if (content !== undefined && isIt(sha1Of(content))) return each
    }
  return undefined
}

/** Content types of pawl's own documents, which change; a fax is filed only once. */
const isOurs = /^text\/|xml|html|rtf|pdf/

function attachmentsOf(document: Content): AnAttachment[] {
  return Attached.safeParse(document.content).data?.map(({ attachment }) => attachment) ?? []
}

/** The SHA-1 of an attachment, as stated by the chart and as computed from its data: some charts keep only one of them. */
function sha1sOf({ data, hash: told }: AnAttachment): string[] {
  const made = data === undefined ? [] : [sha1Of(Buffer.from(data, 'base64'))]
  return told === undefined ? made : [told, ...made]
}

function sha1Of(content: Uint8Array): string {
  return hash('sha1', content, 'base64')
}

/** When the chart last changed it, else its own date. */
export function dateOf({ meta, date, sent }: StoredResource): string {
  return [meta?.lastUpdated, date, sent].find((each) => typeof each === 'string') ?? ''
}
