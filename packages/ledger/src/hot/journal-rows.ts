import { type Kysely, sql, type Transaction } from 'kysely'
import type { FieldChange } from 'pawl-client/schemas/describe-change'
import type { Course } from 'pawl-client/schemas/outcome-course'
import type { AttemptResult, Tables } from '../tables.ts'
import type { Run } from './notes.ts'
import { createStatement, createWrite, givenRows } from './statement.ts'

/** One run of a handler, or a discard by hand in place of one. */
export interface JournalRun {
  handler: string
  startedAt: number
  finishedAt: number
  result: AttemptResult
  /** Without a message once its patient was erased; `system`: the system it failed at, if known. */
  error?: { code: string; message?: string | undefined; system?: string | undefined } | undefined
  /** When the next attempt was scheduled. */
  nextAt?: number | undefined
  firstEventId: number
  lastEventId: number
  writes: Run['writes']
}

/** How a snapshot differs from the one before: paths of fields, with values of codes only. */
export interface JournalChange {
  /** The newest event when it was read. */
  eventId: number
  at: number
  changes: readonly FieldChange[]
  /** For the projection of outcomes. */
  course?: RecordedCourse | undefined
}

/** How far a PA or BV was in a snapshot, for the report. */
export interface RecordedCourse extends Course {
  /** The event that announced the snapshot, if one did. */
  announcedBy?: number | undefined
  /** It had ended before. */
  wasTerminal?: boolean | undefined
}

/** The records of one commit about a resource. */
export interface JournalEntry {
  runs: readonly JournalRun[]
  changes: readonly JournalChange[]
}

/** A row of the journal, read. */
export interface JournalRow {
  id: number
  resource: number
  at: number
  entry: JournalEntry
}

/** A row to append. */
export interface NewJournalRow {
  number: number
  /** The resource's newest row so far. */
  journalId: number | null
  entry: JournalEntry
}

const insertRows = createStatement(
  (db, rows: readonly Pick<Tables['journal'], 'resource' | 'previous' | 'at' | 'entry'>[]) =>
    db.insertInto('journal').values(rows).returning(['id', 'resource']),
)

/** Appends one row per resource; resolves with the rows' numbers, by the resource's. The caller stores them in `resources`. */
export async function appendJournal(
  trx: Transaction<Tables>,
  rows: readonly NewJournalRow[],
  now: number,
): Promise<ReadonlyMap<number, number>> {
  if (rows.length === 0) return new Map()
  const inserted = await insertRows(
    trx,
    rows.map(({ number, journalId, entry }) => ({
      resource: number,
      previous: journalId,
      at: now,
      entry: JSON.stringify(entry),
    })),
  )
  return new Map(inserted.rows.map(({ id, resource }) => [resource, id]))
}

interface HeadRow {
  number: number
  journalId: number
}
const updateHeads = createWrite((db, rows: readonly HeadRow[]) =>
  db
    .updateTable('resources')
    .from(givenRows<HeadRow>(db, rows, { number: 'integer', journalId: 'integer' }))
    .set((eb) => ({ journal_id: eb.ref('given.journalId') }))
    .whereRef('resources.number', '=', 'given.number'),
)

/** Points these resources to their newest rows. */
export async function setJournalHeads(trx: Transaction<Tables>, ids: ReadonlyMap<number, number>): Promise<void> {
  const rows = [...ids].map(([number, journalId]) => ({ number, journalId }))
  if (rows.length > 0) await updateHeads(trx, rows)
}

/** A row of which nothing is left. */
export const emptyEntry = JSON.stringify({ runs: [], changes: [] } satisfies JournalEntry)

/** Written by `appendJournal`. */
export const readEntry = (stored: string) => JSON.parse(stored) as JournalEntry

/** Rows read at once. */
const stepSize = 100

/** Walks a resource's rows back from this one, newest first, by key, until the first one that retention deleted. */
export async function* walkJournal(db: Kysely<Tables>, from: number | null): AsyncGenerator<JournalRow> {
  for (let next = from; next !== null;) {
    const { rows } = await sql<{ id: number; resource: number; previous: number | null; at: number; entry: string }>`
      with recursive walk (id, resource, previous, at, entry, step) as (
        select id, resource, previous, at, entry, 1 from journal where id = ${next}
        union all
        select journal.id, journal.resource, journal.previous, journal.at, journal.entry, step + 1
        from walk join journal on journal.id = walk.previous where step < ${stepSize})
      select id, resource, previous, at, entry from walk order by step`.execute(db)
    for (const { entry, previous: _previous, ...row } of rows) yield { ...row, entry: readEntry(entry) }
    next = rows.length < stepSize ? null : (rows.at(-1)?.previous ?? null)
  }
}

/** Walks the rows of all resources back from this one, newest first. */
export async function* readNewest(db: Kysely<Tables>, from = Number.MAX_SAFE_INTEGER): AsyncGenerator<JournalRow> {
  for (let last = from + 1; ;) {
    const rows = await db
      .selectFrom('journal')
      .select(['id', 'resource', 'at', 'entry'])
      .where('id', '<', last)
      .orderBy('id', 'desc')
      .limit(stepSize)
      .execute()
    for (const { entry, ...row } of rows) yield { ...row, entry: readEntry(entry) }
    last = rows.at(-1)?.id ?? 0
    if (rows.length < stepSize) return
  }
}

/** Max members of one row. */
export const maxMembers = 1_000

/** The row of the run or difference with this number. */
export const rowOf = (member: number) => Math.floor(member / maxMembers)

/** The members of a row below this number, newest first, each with its own. */
function membersOf<Member>(members: readonly Member[], id: number, below: number): (Member & { id: number })[] {
  return members
    .map((member, index) => ({ ...member, id: id * maxMembers + index }))
    .filter((member) => member.id < below)
    .toReversed()
}

/** The runs of a row below this number, newest first. */
export const runsOf = ({ id, entry }: Pick<JournalRow, 'id' | 'entry'>, below = Number.MAX_SAFE_INTEGER) =>
  membersOf(entry.runs, id, below)

/** The differences of a row below this number, newest first. */
export const changesOf = ({ id, entry }: Pick<JournalRow, 'id' | 'entry'>, below = Number.MAX_SAFE_INTEGER) =>
  membersOf(entry.changes, id, below).map(({ course: _course, ...change }) => change)
