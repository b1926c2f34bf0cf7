import { z } from 'zod'
import { exchange, type ExchangeDeps } from '../../exchange.ts'
import { EhrWriteFailed } from '../ehr-write-failed.ts'
import { issueCodes } from './issue-codes.ts'
import type { NamedIdentifier } from './references.ts'
import type { FhirStore, Place, StoredByType, StoredType } from './store.ts'

export interface FhirServerStoreDeps extends ExchangeDeps {
  baseUrl: string
  token?: string
}

/** FHIR's `id`, read a little wider: it is kept in the ledger, which must not hold just any text of another system. */
const Id = z.string().regex(/^[\w.~:-]{1,128}$/)

const Stored = z.looseObject({
  resourceType: z.string(),
  id: Id,
  meta: z.looseObject({ versionId: Id.optional().catch(undefined) }).optional(),
})
const Found = z.looseObject({
  entry: z.array(z.looseObject({ resource: Stored })).optional(),
})

/** Resources on a FHIR R4 server: search by identifier, and conditional update. Throws `EhrWriteFailed`. */
export function createFhirServerStore(deps: FhirServerStoreDeps): FhirStore {
  const baseUrl = deps.baseUrl.replace(/\/+$/, '')
  const headers: Record<string, string> = { accept: 'application/fhir+json' }
  if (deps.token !== undefined) headers.authorization = `Bearer ${deps.token}`

  async function send(place: Place<StoredType>, resource?: object): Promise<unknown> {
    const url = `${baseUrl}/${place.type}?identifier=${encodeURIComponent(token(place.identifier))}`
    const answer = await exchange(
      deps,
      url,
      resource === undefined
        ? { method: 'GET', headers }
        : {
            method: 'PUT',
            headers: { ...headers, 'content-type': 'application/fhir+json', prefer: 'return=representation' },
            body: JSON.stringify(resource),
          },
    )
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

  async function search(place: Place<StoredType>): Promise<z.infer<typeof Stored> | undefined> {
    const found = Found.safeParse(await send(place))
    if (!found.success) throw unreadable(place)
    return found.data.entry?.find(({ resource }) => resource.resourceType === place.type)?.resource
  }

  return {
    async find<T extends StoredType>(place: Place<T>) {
      // The compiler cannot see that a server which answers a search by type with a resource of that type holds to FHIR R4.
      return (await search(place)) as StoredByType[T] | undefined
    },
    async put(place, resource) {
      // A server may take a write without showing what it made of it (FHIR R4, Prefer).
      const stored = Stored.safeParse((await send(place, resource)) ?? (await search(place)))
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
