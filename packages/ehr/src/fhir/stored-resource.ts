import { z } from 'zod'
import type { Answer } from '@pawl/connector/exchange'

/** FHIR's `id`, read leniently, except `.` and `..`, which would change a path. Bounded, since the ledger stores it and must not hold free text of another system. */
export const Id = z.string().regex(/^(?!\.{1,2}$)[\w.~:-]{1,128}$/)

export const Stored = z.looseObject({
  resourceType: z.string(),
  id: Id,
  meta: z.looseObject({ versionId: Id.optional().catch(undefined) }).optional(),
  identifier: z
    .array(z.looseObject({ system: z.string().optional(), value: z.string().optional() }))
    .optional()
    .catch(undefined),
})

/** A resource as a server holds it. */
export type StoredResource = z.infer<typeof Stored>

/** The chart's resource after a write; the id is absent if the server does not return it. */
export interface WrittenResource {
  id: string | undefined
  version: string | undefined
  /** The resource as the answer shows it, if it does. */
  resource?: StoredResource | undefined
  /** It was created, not found or changed. */
  isNew?: boolean
}

/** A successful answer with its parsed body. */
export type SentAnswer = Extract<Answer, { ok: true }> & { json: unknown }

const versionTag = /^(?:W\/)?"([\w.~:-]{1,128})"$/

/** The resource with its version; some servers send that only in the ETag header. */
export function withVersionOf(answer: SentAnswer, stored: StoredResource): StoredResource {
  const version = versionTag.exec(answer.headers.get('etag') ?? '')?.[1]
  if (stored.meta?.versionId !== undefined || version === undefined) return stored
  return { ...stored, meta: { ...stored.meta, versionId: version } }
}

/** A server may answer a write without the resource, with its id only in `Location` (FHIR R4, create). */
export function writtenBy(answer: SentAnswer): WrittenResource {
  const isNew = answer.status === 201
  const { data } = Stored.safeParse(answer.json)
  if (data !== undefined && data.resourceType !== 'OperationOutcome') {
    return { id: data.id, version: withVersionOf(answer, data).meta?.versionId, resource: data, isNew }
  }
  const location = answer.headers.get('location') ?? answer.headers.get('content-location') ?? ''
  const [, id, version] = /\/([\w.~:-]{1,128})(?:\/_history\/([\w.~:-]{1,128}))?\/?$/.exec(location) ?? []
  return {
    id: Id.safeParse(id).data,
    version: version ?? versionTag.exec(answer.headers.get('etag') ?? '')?.[1],
    isNew,
  }
}
