import { z } from 'zod'
import { exchange, type ExchangeDeps, type ExchangeRequest, type ExchangeRun } from '../../exchange.ts'
import { EhrWriteFailed } from '../ehr-write-failed.ts'
import { issueCodes } from './issue-codes.ts'
import type { NamedIdentifier } from './mapping/references.ts'
import type { FhirStore, Place, StoredByType, StoredType } from './store.ts'

export interface FhirServerStoreDeps extends ExchangeDeps {
  baseUrl: string
  token?: string | undefined
  run: ExchangeRun
}

/** FHIR's `id`, read a little wider: it is kept in the ledger, which must not hold just any text of another system. */
const Id = z.string().regex(/^[\w.~:-]{1,128}$/)

const Stored = z.looseObject({
  resourceType: z.string(),
  id: Id,
  meta: z.looseObject({ versionId: Id.optional().catch(undefined) }).optional(),
  identifier: z
    .array(z.looseObject({ system: z.string().optional(), value: z.string().optional() }))
    .optional()
    .catch(undefined),
})
const Found = z.looseObject({
  entry: z.array(z.looseObject({ resource: z.unknown() })).optional(),
})

/** Resources on a FHIR R4 server: search by identifier, and conditional update. Throws `EhrWriteFailed`. */
export function createFhirServerStore(deps: FhirServerStoreDeps): FhirStore {
  const baseUrl = deps.baseUrl.replace(/\/+$/, '')
  const headers: Record<string, string> = { accept: 'application/fhir+json' }
  if (deps.token !== undefined) headers.authorization = `Bearer ${deps.token}`

  const searchFor = (place: Place<StoredType>) =>
    `${baseUrl}/${place.type}?identifier=${encodeURIComponent(token(place.identifier))}`

  function write(place: Place<StoredType>, url: string, resource: object, match: Record<string, string> = {}) {
    const contentType = { 'content-type': 'application/fhir+json', prefer: 'return=representation' }
    const body = JSON.stringify(resource)
    return send(place, url, { method: 'PUT', headers: { ...headers, ...contentType, ...match }, body })
  }

  async function send(place: Place<StoredType>, url: string, request: ExchangeRequest): Promise<unknown> {
    const answer = await exchange(deps, deps.run, url, request)
    const failure = { resourceType: place.type, resourceId: place.resourceId }
    if (!answer.ok) {
      const reason = [answer.reason, ...issueCodes(answer.text)].join(', ')
      const { retry, isOutage, mayBeOutage } = answer
      throw new EhrWriteFailed({ ...failure, reason, retry, isOutage, mayBeOutage })
    }
    if (answer.text === '') return undefined
    try {
      return JSON.parse(answer.text)
    } catch {
      const reason = `HTTP ${answer.status} with a body that is not JSON`
      throw new EhrWriteFailed({ ...failure, reason, retry: 'backoff', isOutage: false })
    }
  }

  /** Only what carries the identifier asked for counts: some servers pass over search parameters that they do not know. */
  async function search(place: Place<StoredType>): Promise<z.infer<typeof Stored> | undefined> {
    const found = Found.safeParse(await send(place, searchFor(place), { method: 'GET', headers }))
    if (!found.success) throw unreadable(place)
    const { system, value } = place.identifier
    const isAskedFor = (resource: z.infer<typeof Stored>) =>
      resource.resourceType === place.type &&
      resource.identifier?.some((each) => each.system === system && each.value === value) === true
    return found.data.entry
      ?.map(({ resource }) => Stored.safeParse(resource).data)
      .find((each) => each && isAskedFor(each))
  }

  return {
    async find<T extends StoredType>(place: Place<T>) {
      // The compiler cannot see that a server which answers a search by type with a resource of that type holds to FHIR R4.
      return (await search(place)) as StoredByType[T] | undefined
    },
    async put(place, resource, found) {
      // Whatever was found is replaced only as it was found: a write that was held up on its way overtakes nobody.
      const version = found?.meta?.versionId
      const match = version === undefined ? {} : { 'if-match': `W/"${version}"` }
      const answered = await (found?.id === undefined
        ? write(place, searchFor(place), resource)
        : write(place, `${baseUrl}/${place.type}/${found.id}`, { ...resource, id: found.id }, match))
      // A server may take a write without showing what it made of it (FHIR R4, Prefer).
      const stored = Stored.safeParse(answered ?? (await search(place)))
      if (!stored.success) throw unreadable(place)
      const { id, meta } = stored.data
      return meta?.versionId === undefined ? { id } : { id, version: meta.versionId }
    },
  }
}

function unreadable(place: Place<StoredType>): EhrWriteFailed {
  const { type: resourceType, resourceId } = place
  return new EhrWriteFailed({
    resourceType,
    resourceId,
    reason: 'the answer is not what FHIR R4 says',
    retry: 'backoff',
    isOutage: false,
  })
}

/** A token search value, with the characters that FHIR gives a meaning escaped (R4, 3.1.1.4.0.1). */
function token({ system, value }: NamedIdentifier): string {
  return [system, value].map((part) => part.replace(/[\\$,|]/g, String.raw`\$&`)).join('|')
}
