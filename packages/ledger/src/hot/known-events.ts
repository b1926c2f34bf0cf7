import { type Kysely, sql, type Transaction } from 'kysely'
import type { Heads } from './heads.ts'
import { createRowsByKey } from './rows-by-key.ts'
import { createStatement, createWrite, givenRows } from './statement.ts'
import type { Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** What a delivery needs to know of its resource. */
export interface KnownResource {
  number: number
  newestEventId: number
  /** As in `resources.heads`. */
  heads: string | null
}

/** What is needed to answer a copy of an event. */
export interface EventRef {
  eventId: number
  receivedAt: number
  traceparent: string | null
}

/** Where a delivery's event goes, and what it may be a copy of. */
export interface Place {
  /** `resources.number` of the resource; its stray number for an event that no handler can follow, and until a new resource has its first event. */
  number: number
  /** Whether a row of `resources` is there, or on its way. */
  isKnown: boolean
  newestEventId: number | null
  heads: Heads
  /** Events by their `event_id`. */
  keyed: Map<string, number>
}

/** A delivery that may be a copy of a stored event. */
export interface PossibleCopy {
  place: Place
  eventType: string
  eventKey: string | undefined
  fingerprint: Buffer
}

const readResources = createRowsByKey('resources', 'id', ['id', 'number', 'newest_event_id', 'heads'])

/** The known ones of these resources, by id. */
export async function readKnown(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, KnownResource>> {
  const rows = await readResources(db, ids)
  return new Map(
    rows.map(({ id, number, newest_event_id: newestEventId, heads }) => [id, { number, newestEventId, heads }]),
  )
}

const typeMark = (eventType: string) => `type:${eventType}`
export const keyMark = (eventKey: string) => `key:${eventKey}`

/** Names within one resource. */
const nameOf = (resource: number, mark: string) => `${resource}\n${mark}`

type MarkKey = Pick<Tables['event_marks'], 'mark' | 'resource'>

const selectMarks = createStatement((db, keys: readonly MarkKey[]) =>
  db
    .selectFrom(givenRows<MarkKey>(db, keys, { mark: 'text', resource: 'integer' }))
    .innerJoin('event_marks', (join) =>
      join.onRef('event_marks.mark', '=', 'given.mark').onRef('event_marks.resource', '=', 'given.resource'),
    )
    .select(['event_marks.mark', 'event_marks.resource', 'event_id', 'fingerprint']),
)

const readRefs = createRowsByKey('events', 'id', ['id', 'received_at', 'traceparent'])

/** Adds to the places what their resources' heads do not tell: heads of stray types, and events with a delivery's `event_id`. */
export async function readMarks(db: Db, sought: readonly PossibleCopy[]): Promise<void> {
  const wanted = new Map<string, { mark: string; resource: number; found(row: MarkRow): void }>()
  for (const { place, eventType, eventKey } of sought) {
    const resource = place.number
    if (!place.isKnown) {
      const mark = typeMark(eventType)
      wanted.set(nameOf(resource, mark), {
        mark,
        resource,
        found({ event_id: eventId, fingerprint }) {
          if (fingerprint !== null)
            place.heads.set(eventType, { webhook: { eventId, fingerprint: Buffer.from(fingerprint) } })
        },
      })
    }
    if (eventKey === undefined) continue
    const mark = keyMark(eventKey)
    wanted.set(nameOf(resource, mark), {
      mark,
      resource,
      found: ({ event_id: eventId }) => void place.keyed.set(eventKey, eventId),
    })
  }
  if (wanted.size === 0) return
  const { rows } = await selectMarks(
    db,
    [...wanted.values()].map(({ mark, resource }) => ({ mark, resource })),
  )
  for (const row of rows) wanted.get(nameOf(row.resource, row.mark))?.found(row)
}

type MarkRow = Pick<Tables['event_marks'], 'event_id' | 'fingerprint'>

/** The stored events that these deliveries copy, by number. A head may outlive its event, which retention deletes. */
export async function readOriginals(db: Db, sought: readonly PossibleCopy[]): Promise<Map<number, EventRef>> {
  const rows = await readRefs(db, [...new Set(sought.flatMap((each) => originalsOf(each)))])
  return new Map(
    rows.map(({ id, received_at: receivedAt, traceparent }) => [id, { eventId: id, receivedAt, traceparent }]),
  )
}

/** The events that a delivery may be a copy of (rule 2): the one with its `event_id`, then the newest webhook of its type, if byte-identical. */
export function originalsOf({ place, eventType, eventKey, fingerprint }: PossibleCopy): number[] {
  const webhook = place.heads.get(eventType)?.webhook
  const sameKey = eventKey === undefined ? undefined : place.keyed.get(eventKey)
  const sameBody = webhook !== undefined && fingerprint.equals(webhook.fingerprint) ? webhook.eventId : undefined
  return [sameKey, sameBody].filter((id) => id !== undefined)
}

const upsertMarks = createWrite((db, rows: readonly Tables['event_marks'][]) =>
  db
    .insertInto('event_marks')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['mark', 'resource']).doUpdateSet((eb) => ({
        event_id: eb.ref('excluded.event_id'),
        fingerprint: eb.ref('excluded.fingerprint'),
      })),
    ),
)

/** What is marked of an event: its type, its `event_id`, or both. */
export interface Marked {
  /** As in `events.resource`. */
  resource: number
  eventId: number
  type: string | undefined
  key: string | undefined
  fingerprint: Buffer
}

/** Marks events so that their copies are found. */
export async function markEvents(trx: Transaction<Tables>, events: readonly Marked[]): Promise<void> {
  const rows = new Map<string, Tables['event_marks']>()
  for (const { resource, eventId, type, key, fingerprint } of events) {
    const add = (mark: string, of: Buffer | null) =>
      rows.set(nameOf(resource, mark), { mark, resource, event_id: eventId, fingerprint: of })
    if (type !== undefined) add(typeMark(type), fingerprint)
    if (key !== undefined) add(keyMark(key), null)
  }
  if (rows.size > 0) await upsertMarks(trx, [...rows.values()])
}

/** The events after one number, up to another, but for a few. */
export interface EventRange {
  after: number
  last: number
  except: readonly number[]
}

/** Condition of a statement on `events`. */
export function isWithin({ after, last, except }: EventRange) {
  const others = except.length === 0 ? sql`` : sql` and events.id not in (${sql.join(except)})`
  return sql<boolean>`events.id > ${after} and events.id <= ${last}${others}`
}

/** Deletes the marks of these events, before the events themselves. Marks of newer events stay. */
export async function unmarkEvents(db: Db, range: EventRange): Promise<void> {
  const marked = await db
    .selectFrom('events')
    .select(['id', 'resource', 'event_type', 'event_key'])
    .where(isWithin(range))
    .where((eb) => eb.or([eb('kind', 'is', null), eb('event_key', 'is not', null)]))
    .execute()
  for (const { id, resource, event_type: type, event_key: key } of marked)
    await db
      .deleteFrom('event_marks')
      .where('mark', 'in', key === null ? [typeMark(type)] : [typeMark(type), keyMark(key)])
      .where('resource', '=', resource)
      .where('event_id', '=', id)
      .execute()
}
