import { type Kysely, sql } from 'kysely'
import type { Documents } from '../sealing/documents.ts'
import { readActor } from '../audit/read-audit.ts'
import type { Tables } from '../tables.ts'
import { sealContext } from '../sealing/seal-context.ts'
import { changesOf, type JournalChange, type JournalRun, rowOf, runsOf, walkJournal } from '../hot/journal-rows.ts'
import type { Actor } from '../audit/audit-entry.ts'
import { type EventRecord, toEventRecord } from '../hot/event-record.ts'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import { readEventIds } from '../hot/event-chain.ts'
import { newest } from './lists.ts'
import type { ViewCore } from '../core.ts'
import { type HandlerProgress, readProgress } from './read-progress.ts'
import { readResource } from './read-resource.ts'

/** Cursor for reading a resource's history backwards: rows below these; absent: from the newest. */
export interface HistoryCursor {
  event?: number | undefined
  transition?: number | undefined
  run?: number | undefined
  /** The audit entry of a reveal. */
  reveal?: number | undefined
  /** Effects have no number: time, handler and key of the last one. */
  effect?: [at: number, handler: string, key: string] | undefined
  /** The number of a notice in the feed. */
  notice?: number | undefined
  /** Starts have no number: time and prescription. */
  start?: [at: number, prescription: string] | undefined
}

/** State and history of a resource: the newest rows of each kind, newest first. Only the snapshot holds patient data. */
export interface History {
  resource: {
    id: string
    kind: ResourceKind
    firstEventAt: number
    lastEventAt: number | undefined
    /** The stored snapshot as JSON: content, of which pages show only codes. Absent if it is gone or cannot be opened. */
    snapshot: string | undefined
    snapshotAt: number | undefined
    terminal: boolean
    reads: number
    dueAt: number | undefined
    nextPollAt: number | undefined
    /** A worker holds a claim on it. */
    isClaimed: boolean
  }
  progress: HandlerProgress[]
  events: EventRecord[]
  transitions: (Omit<JournalChange, 'course'> & { id: number })[]
  /** Reveals of its content. */
  reveals: { id: number; at: number; actor: Actor }[]
  runs: (JournalRun & { id: number })[]
  effects: { handler: string; key: string; at: number }[]
  /** Prescriptions of a chart that it was started from, or that turned out to have it already. */
  starts: { prescription: string; at: number }[]
  /** Notices of the feed that pharmacies read. */
  notices: {
    sequence: number
    noticeId: string
    reader: string
    at: number
    readAt: number | undefined
    acknowledgedAt: number | undefined
    acknowledgedBy: string | undefined
  }[]
}

type Db = Kysely<Tables>

/** One page of one resource. */
interface Page {
  id: string
  number: number
  limit: number
  before: HistoryCursor
}

/** State of a resource and the newest rows of each kind before the cursor. */
async function readHistory(db: Db, asked: Omit<Page, 'number'>, documents: Documents): Promise<History | undefined> {
  const row = await db
    .selectFrom('resources')
    .leftJoin('events', 'events.id', 'resources.newest_event_id')
    .leftJoin('states', 'states.resource', 'resources.number')
    .selectAll('resources')
    .select(['received_at', 'snapshot', 'document', 'read_at'])
    .where('resources.id', '=', asked.id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { id, number } = row
  const page = { ...asked, number }
  return {
    resource: {
      id,
      kind: row.kind,
      firstEventAt: row.first_event_at,
      lastEventAt: row.received_at ?? undefined,
      snapshot: readSnapshotText(row, documents),
      snapshotAt: row.read_at ?? undefined,
      terminal: row.terminal === 1,
      reads: row.reads,
      dueAt: row.due_at ?? undefined,
      nextPollAt: row.next_poll_at ?? undefined,
      isClaimed: row.claim_owner !== null,
    },
    progress: await readProgress(db, row),
    events: await readEvents(db, page),
    ...(await readJournal(db, row.journal_id, page)),
    effects: await readEffects(db, page),
    reveals: await readReveals(db, page),
    notices: await readNotices(db, page),
    starts: await readStarts(db, page),
  }
}

/** The text of a stored snapshot; undefined if it is gone or cannot be opened. */
export function readSnapshotText(
  { id, snapshot }: { id: string; snapshot: Uint8Array | null },
  documents: Documents,
): string | undefined {
  const document = documents.read(snapshot, sealContext.snapshot(id))
  return document === undefined || 'broken' in document ? undefined : document.text
}

async function readEvents(db: Db, { id, limit, before }: Page): Promise<History['events']> {
  const ids = await readEventIds(db, id, { before: before.event, limit })
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('events')
    .select(['id', 'event_type', 'received_at', 'source', 'repeats', 'traceparent'])
    .where('id', 'in', ids)
    .orderBy('id', 'desc')
    .execute()
  return rows.map(toEventRecord)
}

/** The newest runs and differences, each kind below its own cursor. */
async function readJournal(
  db: Db,
  head: number | null,
  { limit, before: { run = newest, transition = newest } }: Page,
): Promise<Pick<History, 'runs' | 'transitions'>> {
  const runs: History['runs'] = []
  const transitions: History['transitions'] = []
  const from = Math.min(head ?? 0, Math.max(rowOf(run), rowOf(transition)))
  for await (const row of walkJournal(db, from)) {
    runs.push(...runsOf(row, run))
    transitions.push(...changesOf(row, transition))
    if (runs.length >= limit && transitions.length >= limit) break
  }
  return { runs: runs.slice(0, limit), transitions: transitions.slice(0, limit) }
}

async function readEffects(db: Db, { number, limit, before: { effect } }: Page): Promise<History['effects']> {
  let query = db
    .selectFrom('effects')
    .select(['handler', 'key', 'done_at as at'])
    .where('resource', '=', number)
    .orderBy('done_at', 'desc')
    .orderBy('handler', 'desc')
    .orderBy('key', 'desc')
    .limit(limit)
  if (effect !== undefined) query = query.where(sql<boolean>`(done_at, handler, key) < (${sql.join(effect)})`)
  return query.execute()
}

async function readNotices(db: Db, { id, limit, before: { notice = newest } }: Page): Promise<History['notices']> {
  const rows = await db
    .selectFrom('feed')
    .select(['id', 'notice_id', 'reader', 'at', 'read_at', 'acknowledged_at', 'acknowledged_by'])
    .where('resource_id', '=', id)
    .where('id', '<', notice)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    sequence: row.id,
    noticeId: row.notice_id,
    reader: row.reader,
    at: row.at,
    readAt: row.read_at ?? undefined,
    acknowledgedAt: row.acknowledged_at ?? undefined,
    acknowledgedBy: row.acknowledged_by ?? undefined,
  }))
}

async function readStarts(db: Db, { id, limit, before: { start } }: Page): Promise<History['starts']> {
  let query = db
    .selectFrom('starts')
    .select(['prescription', 'begun_at as at'])
    .where('resource_id', '=', id)
    .orderBy('begun_at', 'desc')
    .orderBy('prescription', 'desc')
    .limit(limit)
  if (start !== undefined) query = query.where(sql<boolean>`(begun_at, prescription) < (${sql.join(start)})`)
  return query.execute()
}

async function readReveals(db: Db, { id, limit, before: { reveal = newest } }: Page): Promise<History['reveals']> {
  const rows = await db
    .selectFrom('audit')
    .select(['id', 'at', 'actor', 'via', 'issuer', 'subject'])
    .where('resource_id', '=', id)
    .where('action', '=', 'resource.reveal')
    .where('id', '<', reveal)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ id: row.id, at: row.at, actor: readActor(row) }))
}

/** Reads of one resource. */
export type StoryViews = ReturnType<typeof createStoryViews>

export function createStoryViews({ db, documents }: ViewCore) {
  return {
    resource: (id: string) => readResource(db, id),
    /** History of a resource: up to `limit` rows of each kind, before the cursor. */
    history: (id: string, limit: number, before: HistoryCursor) => readHistory(db, { id, limit, before }, documents),
  }
}
