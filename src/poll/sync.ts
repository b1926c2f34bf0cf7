import { randomUUID } from 'node:crypto'
import { PawlError } from '../errors.ts'
import { catalog, type EventType } from '../events/catalog.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Log } from '../log.ts'
import { type NamedResource, readResourceName, resourceNameForm } from '../events/resource-name.ts'
import type { AnyHandler } from '../work/handler.ts'
import { ownEvent } from './own-event.ts'
import { handlersFor } from '../work/backlog.ts'

/** What was to be announced cannot be; nothing was. */
export class AnnouncementRefused extends PawlError {
  readonly code = 'announcement_refused'
}

/** Makes resources known that no webhook will speak of, or speaks of anew those that are, and so due for every handler that follows them. Takes names as `readResourceName` does; resolves with the number of resources once all are stored. Throws `AnnouncementRefused`. */
export type Announce = (names: readonly string[]) => Promise<number>

export interface AnnounceDeps {
  ledger: Pick<Ledger, 'accept' | 'resource'>
  handlers: readonly AnyHandler[]
  enqueue: (resourceId: string) => void
  log: Log
}

export function createAnnounce({ ledger, handlers, enqueue, log }: AnnounceDeps): Announce {
  async function check(name: string): Promise<NamedResource & { eventTypes: EventType[] }> {
    const resource = readResourceName(name)
    // It is not repeated: who knows what was pasted there.
    if (resource === undefined) throw new AnnouncementRefused(`Name each resource as ${resourceNameForm}.`)
    const { kind, id } = resource
    const known = await ledger.resource(id)
    if (known !== undefined && known.kind !== kind)
      throw new AnnouncementRefused(`${id} is known as a ${known.kind}, not as a ${kind}: name it as what it is.`)
    const eventTypes = typesThatReachAll(kind, handlers)
    if (eventTypes.length === 0)
      throw new AnnouncementRefused(
        `No handler in src/integration/index.ts follows a ${kind}, so nothing would be done about ${id}.`,
      )
    return { ...resource, eventTypes }
  }

  async function store({ kind, id }: NamedResource, eventType: EventType): Promise<void> {
    // Its own id keeps it from counting as a copy of the one before. It says nothing of the resource that could differ from what the API says.
    const about = { request_id: randomUUID() }
    const event = ownEvent({ resourceId: id, kind, eventType, source: 'cli', title: 'Asked for by hand', about })
    const { eventId } = await ledger.accept(event)
    log.info({ event_id: eventId, event_type: eventType, resource_id: id }, 'announced')
  }

  return async (names) => {
    const checked = await Promise.all(names.map(check))
    const resources = [...new Map(checked.map((resource) => [resource.id, resource])).values()]
    await Promise.all(
      resources.flatMap((resource) => resource.eventTypes.map((eventType) => store(resource, eventType))),
    )
    for (const { id } of resources) enqueue(id)
    return resources.length
  }
}

/** A few event types of which every handler of this kind follows at least one. */
function typesThatReachAll(kind: NamedResource['kind'], handlers: readonly AnyHandler[]): EventType[] {
  const types: EventType[] = []
  for (const { on } of handlersFor(kind, handlers)) {
    const own = on.filter((type) => catalog[type] === kind)
    if (own[0] !== undefined && !own.some((type) => types.includes(type))) types.push(own[0])
  }
  return types
}
