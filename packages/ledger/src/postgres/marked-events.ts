import { type Kysely, sql } from 'kysely'
import { knownColumns, type KnownEvent, type KnownEvents, type PossibleCopy } from '../hot/known-events.ts'
import { createStatement } from '../hot/statement.ts'
import type { Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Leads to an event without searching its partitions: the newest webhook of a resource and type, or the event with an `event_id`. Maintained by triggers (partition-events.ts). */
interface Mark {
  resource: number
  mark: string
  event_id: number
  /** Set for the newest webhook of a type only. */
  fingerprint: Uint8Array | null
}

interface MarkKey {
  resource: number
  mark: string
}

const typeMark = (eventType: string) => `type:${eventType}`
const keyMark = (eventKey: string) => `key:${eventKey}`
const nameOf = (resource: number, mark: string) => `${resource}\n${mark}`

const selectMarks = createStatement((db, keys: readonly MarkKey[]) => ({
  compile: () =>
    sql<Mark>`select resource, mark, event_id, fingerprint from event_marks
      where (resource, mark) in (values ${sql.join(keys.map(({ resource, mark }) => sql`(${resource}::bigint, ${mark})`))})`.compile(
      db,
    ),
}))

const selectEvents = createStatement((db, events: readonly { id: number }[]) =>
  db
    .selectFrom('events')
    .select(knownColumns)
    .where(
      'id',
      'in',
      events.map(({ id }) => id),
    ),
)

/** Finds events by their marks. */
export async function findMarked(db: Db, sought: readonly PossibleCopy[]): Promise<KnownEvents> {
  const keys = new Map(sought.flatMap(marksOf).map((key) => [nameOf(key.resource, key.mark), key]))
  const { rows } = await selectMarks(db, [...keys.values()])
  const marks = new Map(rows.map((row) => [nameOf(row.resource, row.mark), row]))
  return readMarked(db, sought, marks)
}

function marksOf({ resource, eventType, eventKey }: PossibleCopy): MarkKey[] {
  const ofType = { resource, mark: typeMark(eventType) }
  return eventKey === undefined ? [ofType] : [ofType, { resource, mark: keyMark(eventKey) }]
}

/** Reads only marked events that a delivery copies; the others need no lookup. A mark may outlive its event. */
async function readMarked(
  db: Db,
  sought: readonly PossibleCopy[],
  marks: ReadonlyMap<string, Mark>,
): Promise<KnownEvents> {
  const newest = new Set<number>()
  const keyed = new Set<number>()
  for (const { resource, eventType, eventKey, fingerprint } of sought) {
    const ofType = marks.get(nameOf(resource, typeMark(eventType)))
    if (ofType?.fingerprint && Buffer.compare(ofType.fingerprint, fingerprint) === 0) newest.add(ofType.event_id)
    const ofKey = eventKey === undefined ? undefined : marks.get(nameOf(resource, keyMark(eventKey)))
    if (ofKey !== undefined) keyed.add(ofKey.event_id)
  }
  const ids = [...new Set([...newest, ...keyed])].map((id) => ({ id }))
  const rows: KnownEvent[] = ids.length === 0 ? [] : (await selectEvents(db, ids)).rows
  return { newest: rows.filter(({ id }) => newest.has(id)), keyed: rows.filter(({ id }) => keyed.has(id)) }
}
