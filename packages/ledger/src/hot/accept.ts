import type { Insertable, Transaction } from 'kysely'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import type { Seal } from '../sealing/seal.ts'
import type { Numbers, Storage } from '../storage.ts'
import { readHeads, storeHeads } from './heads.ts'
import {
  type EventRef,
  type KnownResource,
  type Marked,
  markEvents,
  originalsOf,
  type Place,
  type PossibleCopy,
  readMarks,
  readOriginals,
} from './known-events.ts'
import { type Asked, createWrite } from './statement.ts'
import type { Tables, EventSource } from '../tables.ts'
import { sealContext } from '../sealing/seal-context.ts'
import { traceIdOf } from '@pawl/base/tracing/trace-id'
import { strayNumberOf } from '../resource-number.ts'
import type { Core } from '../core.ts'
import { createRejections } from './rejections.ts'

/** An event handed to the ledger by the receiver, a poll or a command. */
export interface Delivery {
  /** `undefined` if the envelope had no usable `data.id`. */
  resourceId: string | undefined
  /** `undefined` if no handler can follow it. */
  kind: ResourceKind | undefined
  eventType: string
  /** The envelope's own `event_id`, if any. */
  eventKey: string | undefined
  /** The raw body. */
  body: Uint8Array
  source: EventSource
  /** Span in which it is received (W3C Trace Context); absent where tracing is off. */
  traceparent?: string | undefined
}

export interface Accepted {
  /** Set for a duplicate: the event that it repeats. */
  eventId: number
  duplicate: boolean
  /** Correlation id for log lines and spans about the event. */
  traceId: string
  /** Span in which the event was received; absent where tracing was off. */
  traceparent?: string | undefined
}

/** A delivery with its place in the ledger. */
interface Placed extends PossibleCopy {
  delivery: Delivery
}

interface Classified extends Placed {
  ref: EventRef
  duplicate: boolean
  /** The resource's newest event before it; null for a stray. */
  previous: number | null
}

/** Asks for the numbers of a group of deliveries. */
export function askNumbers(
  trx: Transaction<Tables>,
  deliveries: readonly Pick<Delivery, 'resourceId'>[],
  storage: Pick<Storage, 'askNumbers'>,
): Promise<Asked<Numbers>> {
  const resourceIds = [...new Set(deliveries.flatMap(({ resourceId }) => resourceId ?? []))]
  return storage.askNumbers(trx, resourceIds, deliveries.length)
}

/** Stores a group of deliveries in order of arrival, in a fixed number of statements (rules 1 and 2). Their resources must be locked. */
export async function acceptAll(
  trx: Transaction<Tables>,
  deliveries: readonly Delivery[],
  deps: { numbers: Numbers; seal: Seal; now: number; fingerprint: (body: Uint8Array) => Buffer },
): Promise<Accepted[]> {
  if (deliveries.length === 0) return []
  const { known, eventIds } = deps.numbers
  const placed = place(deliveries, known, deps.fingerprint)
  const sought = placed.filter(isWebhook)
  await readMarks(trx, sought.filter(mayBeMarked))
  const refs = await readOriginals(trx, sought)
  const freshIds = eventIds.values()
  const classified = placed.map((each) => classify(each, refs, { freshIds, now: deps.now }))
  const fresh = classified.filter(({ duplicate }) => !duplicate)
  if (fresh.length > 0) {
    await insertEvents(trx, fresh, deps)
    await markDue(trx, fresh, deps.now)
    await markEvents(trx, fresh.flatMap(toMarked))
  }
  await countRepeats(trx, classified)
  await pollReturns(trx, classified, deps.now)
  return classified.map(({ ref, duplicate }) => {
    const { eventId: id, ...received } = ref
    const { traceparent } = received
    return {
      eventId: id,
      duplicate,
      traceId: traceIdOf({ id, ...received }),
      ...(traceparent !== null && { traceparent }),
    }
  })
}

/** Gives each delivery its place: one for all of a resource. An event that no handler can follow has another, whether or not its resource is known. */
function place(
  deliveries: readonly Delivery[],
  known: ReadonlyMap<string, KnownResource>,
  fingerprint: (body: Uint8Array) => Buffer,
): Placed[] {
  const places = new Map<string, Place>()
  return deliveries.map((delivery) => {
    const { resourceId = '', eventType, eventKey } = delivery
    const stray = isStray(delivery)
    const name = `${stray ? 'stray' : 'followed'}\n${resourceId}`
    const found = places.get(name) ?? placeOf(resourceId, stray ? undefined : known.get(resourceId))
    places.set(name, found)
    return { delivery, place: found, eventType, eventKey, fingerprint: fingerprint(delivery.body) }
  })
}

function placeOf(resourceId: string, row: KnownResource | undefined): Place {
  return {
    number: row?.number ?? strayNumberOf(resourceId),
    isKnown: row !== undefined,
    newestEventId: row?.newestEventId ?? null,
    heads: readHeads(row?.heads ?? null),
    keyed: new Map(),
  }
}

/** Events that pawl stores itself are not copies, and hide no webhook from its copies. */
const isWebhook = ({ delivery }: Placed) => delivery.source === 'webhook'

/** Whether no handler can follow it. */
const isStray = ({ kind, resourceId }: Delivery) => kind === undefined || resourceId === undefined

/** A new resource has no earlier events to copy, but its `event_id` may have arrived with a type that no handler supports. */
const mayBeMarked = (each: Placed) => isStray(each.delivery) || each.eventKey !== undefined

/** Decides, in order of arrival, whether a delivery is a copy; adds it to its place, for later ones in the group. */
function classify(
  each: Placed,
  refs: Map<number, EventRef>,
  { freshIds, now }: { freshIds: Iterator<number>; now: number },
): Classified {
  const { delivery, place, eventType, eventKey, fingerprint } = each
  const [original] = isWebhook(each) ? originalsOf(each).flatMap((id) => refs.get(id) ?? []) : []
  if (original !== undefined) return { ...each, ref: original, duplicate: true, previous: null }
  const eventId = freshIds.next().value ?? 0
  const ref: EventRef = { eventId, receivedAt: now, traceparent: delivery.traceparent ?? null }
  refs.set(eventId, ref)
  const head = place.heads.get(eventType)
  place.heads.set(
    eventType,
    isWebhook(each) ? { ...head, webhook: { eventId, fingerprint } } : { ...head, ownEventId: eventId },
  )
  if (isWebhook(each) && eventKey !== undefined) place.keyed.set(eventKey, eventId)
  const previous = place.newestEventId
  if (!isStray(each.delivery)) {
    // A resource is numbered by its first event.
    if (!place.isKnown) place.number = eventId
    place.isKnown = true
    place.newestEventId = eventId
  }
  return { ...each, ref, duplicate: false, previous }
}

/** What heads cannot tell of a new event: a stray's type, and an `event_id`. */
function toMarked(each: Classified): Marked[] {
  const type = isStray(each.delivery) && isWebhook(each) ? each.eventType : undefined
  return type === undefined && each.eventKey === undefined
    ? []
    : [
        {
          resource: each.place.number,
          type,
          key: each.eventKey,
          fingerprint: each.fingerprint,
          eventId: each.ref.eventId,
        },
      ]
}

const insertRows = createWrite((db, rows: readonly Insertable<Tables['events']>[]) =>
  db.insertInto('events').values(rows),
)

async function insertEvents(trx: Transaction<Tables>, fresh: readonly Classified[], deps: { seal: Seal; now: number }) {
  await insertRows(
    trx,
    fresh.map(({ delivery, place, fingerprint, ref, previous }) => ({
      id: ref.eventId,
      resource: place.number,
      previous,
      resource_id: delivery.resourceId ?? '',
      kind: isStray(delivery) ? null : (delivery.kind ?? null),
      event_type: delivery.eventType,
      fingerprint,
      event_key: delivery.eventKey ?? null,
      body: deps.seal.seal(delivery.body, sealContext.body(delivery.resourceId ?? '', fingerprint)),
      received_at: deps.now,
      source: delivery.source,
      traceparent: ref.traceparent,
    })),
  )
}

const upsertDue = createWrite((db, rows: readonly Insertable<Tables['resources']>[]) =>
  db
    .insertInto('resources')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('number').doUpdateSet((eb) => ({
        newest_event_id: eb.ref('excluded.newest_event_id'),
        heads: eb.ref('excluded.heads'),
        due_at: eb
          .case()
          .when('resources.rest_until', '>', eb.ref('excluded.due_at'))
          .then(eb.ref('resources.rest_until'))
          // A resource already due keeps its due time.
          .when('resources.due_at', '<', eb.ref('excluded.due_at'))
          .then(eb.ref('resources.due_at'))
          .else(eb.ref('excluded.due_at'))
          .end(),
      })),
    ),
)

async function markDue(trx: Transaction<Tables>, fresh: readonly Classified[], now: number) {
  const newestOf = new Map<Place, { id: string; kind: ResourceKind; newest: number }>()
  for (const { delivery, ref, place } of fresh) {
    const { resourceId: id, kind } = delivery
    if (id !== undefined && kind !== undefined) newestOf.set(place, { id, kind, newest: ref.eventId })
  }
  if (newestOf.size === 0) return
  await upsertDue(
    trx,
    [...newestOf].map(([{ number, heads }, { id, kind, newest }]) => ({
      number,
      id,
      kind,
      newest_event_id: newest,
      heads: storeHeads(heads),
      first_event_at: now,
      terminal: 0,
      due_at: now,
      // Polled from the start (rule 9): the first event may be of a type that no handler follows.
      next_poll_at: kind === 'provider_outreach' ? null : now,
    })),
  )
}

async function countRepeats(trx: Transaction<Tables>, classified: readonly Classified[]) {
  const repeatsOf = new Map<number, number>()
  for (const { ref, duplicate } of classified) {
    if (duplicate) repeatsOf.set(ref.eventId, (repeatsOf.get(ref.eventId) ?? 0) + 1)
  }
  for (const [eventId, count] of repeatsOf) {
    await trx
      .updateTable('events')
      .set((eb) => ({ repeats: eb('repeats', '+', count) }))
      .where('id', '=', eventId)
      .execute()
  }
}

/** A copy after pawl's own event of the same type may be a genuine return whose webhook in between was lost: a poll decides. */
async function pollReturns(trx: Transaction<Tables>, classified: readonly Classified[], now: number) {
  const copied = classified.filter(
    ({ delivery, duplicate, place: { heads }, eventType, ref }) =>
      duplicate &&
      delivery.kind !== undefined &&
      delivery.kind !== 'provider_outreach' &&
      (heads.get(eventType)?.ownEventId ?? 0) > ref.eventId,
  )
  for (const number of new Set(copied.map(({ place }) => place.number)))
    await trx
      .updateTable('resources')
      .set({ next_poll_at: now })
      .where('number', '=', number)
      // A terminal status never goes back (rule 7).
      .where('terminal', '=', 0)
      .execute()
}

/** Stores deliveries and records refusals. */
export interface Intake {
  /** Stores one delivery, or counts it as a duplicate (rule 2); atomic across processes. */
  accept(delivery: Delivery): Promise<Accepted>
  /** Records a refused delivery soon, bounded in number, without waiting: refusals must cost an attacker more than us. */
  reject(rejection: { reason: string; bytes: number }): void
}

/** `flush` stores buffered refusals, and stops. */
export function createIntake(core: Core): Intake & { flush(): Promise<void> } {
  const { commits, gather, storage, seal, digestKey } = core
  const rejections = createRejections(commits)
  const acceptNow = gather<Delivery, Accepted, Numbers>({
    touches: ({ resourceId = '' }) => [resourceId],
    ask: (trx, deliveries) => askNumbers(trx, deliveries, storage),
    async run(trx, deliveries, now, numbers) {
      const fingerprint = digestKey.fingerprint()
      if (fingerprint === undefined) throw new TypeError('The key of digests was not read.')
      const accepted = await acceptAll(trx, deliveries, { numbers, seal, now, fingerprint })
      return accepted.map((result) => ({ result }))
    },
  })

  /** The deliveries that wait for the key of digests. */
  let first: Promise<unknown> = Promise.resolve()

  return {
    accept(delivery) {
      // No await once the key is known: calls made before the ledger closes are stored.
      if (digestKey.fingerprint() !== undefined) return acceptNow(delivery)
      const accepted = digestKey.readFingerprint().then(() => acceptNow(delivery))
      first = Promise.allSettled([first, accepted])
      return accepted
    },
    reject: (rejection) => rejections.note(rejection),
    async flush() {
      await Promise.allSettled([first, rejections.close()])
    },
  }
}
