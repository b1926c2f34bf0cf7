import type { Api } from 'pawl-client/api/client'
import { ApiNotFound } from 'pawl-client/api/api-errors'
import { PawlError } from '@pawl/base/errors'
import { integrationFile } from '@pawl/base/integration-file'
import type { Log } from '@pawl/base/log'
import { type NamedResource, readResourceName, resourceNameForm } from 'pawl-client/events/resource-name'
import { handlersFor } from '../backlog.ts'
import type { AnyHandler } from '../handler.ts'
import { ownEvent } from '../own-event.ts'
import type { Act } from '@pawl/ledger/audit/audit-entry'
import type { FailedWork } from '@pawl/ledger/upkeep/create-failed-work'
import type { Intake } from '@pawl/ledger/hot/accept'
import type { StoryViews } from '@pawl/ledger/views/read-history'

/** At least one of the named resources cannot be synced, so none was. */
class SyncRefused extends PawlError {
  readonly code = 'sync_refused'
}

/** Makes the named resources due at once for every handler of their kind, regardless of backoff, and adds unknown ones to the ledger. `names`: as `readResourceName` takes them. Resolves with their number once all are stored. Throws `SyncRefused`. */
export type Sync = (names: readonly string[], act: Act) => Promise<number>

export interface SyncDeps {
  ledger: Pick<Intake, 'accept'> & Pick<StoryViews, 'resource'> & Pick<FailedWork, 'retryWork'>
  handlers: readonly AnyHandler[]
  /** Reads from the service, bypassing the breaker: a mistyped id says nothing about the service. Absent in a process without API access; then a worker finds out. */
  readSnapshot?: Api['readSnapshot'] | undefined
  enqueue: (resourceId: string) => void
  log: Log
}

export function createSync({ ledger, handlers, readSnapshot, enqueue, log }: SyncDeps): Sync {
  async function check(name: string): Promise<NamedResource> {
    const resource = readResourceName(name)
    // The name is not echoed: it may hold patient data.
    if (resource === undefined) throw new SyncRefused(`Name each resource as ${resourceNameForm}.`)
    const { kind, id } = resource
    const known = await ledger.resource(id)
    if (known !== undefined && known.kind !== kind)
      throw new SyncRefused(`${id} is known as a ${known.kind}, not as a ${kind}: use that kind.`)
    if (handlersFor(kind, handlers).length === 0)
      throw new SyncRefused(
        `No handler in ${integrationFile()} follows a ${kind}, so nothing would be done about ${id}.`,
      )
    return resource
  }

  /** Whether the resource is unknown to both the ledger and the service. */
  async function isUnknown({ kind, id }: NamedResource): Promise<boolean> {
    if (readSnapshot === undefined) return false
    if ((await ledger.resource(id)) !== undefined) return false
    try {
      await readSnapshot(kind, id)
      return false
    } catch (error) {
      // The worker meets any other failure again, and retries.
      return error instanceof ApiNotFound
    }
  }

  async function store({ kind, id }: NamedResource, act: Act): Promise<void> {
    const event = ownEvent({ resourceId: id, kind, source: 'cli', title: 'Asked for by hand' })
    const { eventId, traceId } = await ledger.accept(event)
    // Otherwise a handler in backoff would see the event only after its wait.
    const handlerNames = handlersFor(kind, handlers).map(({ name }) => name)
    await ledger.retryWork({ resourceId: id, handlerNames }, act)
    log.info({ event_id: eventId, event_type: event.eventType, resource_id: id, trace_id: traceId }, 'sync requested')
  }

  return async (names, act) => {
    const checked = await Promise.all(names.map(check))
    const resources = [...new Map(checked.map((resource) => [resource.id, resource])).values()]
    const unknown: string[] = []
    // Reads one at a time, within the service's rate limits.
    for (const resource of resources) if (await isUnknown(resource)) unknown.push(resource.id)
    if (unknown.length > 0)
      throw new SyncRefused(
        `The service does not know ${unknown.join(', ')}: correct the id. None of the named resources was synced.`,
      )
    await Promise.all(resources.map((resource) => store(resource, act)))
    for (const { id } of resources) enqueue(id)
    return resources.length
  }
}
