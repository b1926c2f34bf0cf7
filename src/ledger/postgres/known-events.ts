import { type Kysely, sql } from 'kysely'
import { createFindKnown, knownColumns, type KnownEvent, type KnownEvents, type Sought } from '../known-events.ts'
import { createStatement } from '../statement.ts'
import type { Storage } from '../storage.ts'
import type { Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** What leads to an event without a search through its partitions: to the newest of a resource and type, or to the one with an `event_id`. Triggers keep it (partition-events.ts). */
interface Mark {
  resource_id: string
  mark: string
  event_id: number
  /** Of the newest of a type alone. */
  fingerprint: Uint8Array | null
}

interface Place {
  resourceId: string
  mark: string
}

const typeMark = (eventType: string) => `type:${eventType}`
const keyMark = (eventKey: string) => `key:${eventKey}`
const nameOf = (resourceId: string, mark: string) => `${resourceId}\n${mark}`

const selectMarks = createStatement((db, places: readonly Place[]) => ({
  compile: () =>
    sql<Mark>`select resource_id, mark, event_id, fingerprint from event_marks
      where (resource_id, mark) in (values ${sql.join(places.map(({ resourceId, mark }) => sql`(${resourceId}, ${mark})`))})`.compile(
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

/** Finds them by their marks; those that were stored before there were marks, whose numbers are below `marksBegin`, by a search in the one partition that they are in. */
export function createFindMarked(marksBegin: number): Storage['findKnown'] {
  const findUnmarked = createFindKnown(marksBegin)

  return async (db, sought) => {
    const places = new Map(sought.flatMap(placesOf).map((place) => [nameOf(place.resourceId, place.mark), place]))
    const { rows } = await selectMarks(db, [...places.values()])
    const marks = new Map(rows.map((row) => [nameOf(row.resource_id, row.mark), row]))
    const marked = await readMarked(db, sought, marks)
    if (marksBegin === 0) return marked
    const isUnmarked = ({ resourceId, mark }: Place) => !marks.has(nameOf(resourceId, mark))
    const unmarked = sought.filter((each) => placesOf(each).some(isUnmarked))
    if (unmarked.length === 0) return marked
    const older = await findUnmarked(db, unmarked)
    return {
      newest: [
        ...older.newest.filter((row) => !marks.has(nameOf(row.resource_id, typeMark(row.event_type)))),
        ...marked.newest,
      ],
      keyed: [...older.keyed, ...marked.keyed],
    }
  }
}

function placesOf({ resourceId, eventType, eventKey }: Sought): Place[] {
  const ofType = { resourceId, mark: typeMark(eventType) }
  return eventKey === undefined ? [ofType] : [ofType, { resourceId, mark: keyMark(eventKey) }]
}

/** Of the events that marks lead to, those alone that a delivery is a copy of: the others need not be looked up. A mark may outlive its event. */
async function readMarked(db: Db, sought: readonly Sought[], marks: ReadonlyMap<string, Mark>): Promise<KnownEvents> {
  const newest = new Set<number>()
  const keyed = new Set<number>()
  for (const { resourceId, eventType, eventKey, fingerprint } of sought) {
    const ofType = marks.get(nameOf(resourceId, typeMark(eventType)))
    if (ofType?.fingerprint && Buffer.compare(ofType.fingerprint, fingerprint) === 0) newest.add(ofType.event_id)
    const ofKey = eventKey === undefined ? undefined : marks.get(nameOf(resourceId, keyMark(eventKey)))
    if (ofKey !== undefined) keyed.add(ofKey.event_id)
  }
  const ids = [...new Set([...newest, ...keyed])].map((id) => ({ id }))
  const rows: KnownEvent[] = ids.length === 0 ? [] : (await selectEvents(db, ids)).rows
  return { newest: rows.filter(({ id }) => newest.has(id)), keyed: rows.filter(({ id }) => keyed.has(id)) }
}
