import type { Transaction } from 'kysely'
import { isSameState } from 'pawl-client/schemas/same-state'
import type { Documents } from '../sealing/documents.ts'
import { sealContext } from '../sealing/seal-context.ts'
import type { Tables } from '../tables.ts'
import type { ResourceState } from './claimed-states.ts'
import type { ClaimToken } from './claim.ts'
import { groupBy } from './group-by.ts'
import { appendJournal, type JournalChange, type NewJournalRow } from './journal-rows.ts'
import { saveMemories } from './memory.ts'
import type { Note, SnapshotNote } from './notes.ts'
import { journalRunOf, type RecordedRun, recordRuns } from './record-runs.ts'
import { saveSnapshots, type SnapshotEntry } from './save-snapshots.ts'
import { writeIdentity } from './snapshot-identity.ts'
import { refersToEarlier, versionsIn } from './state-document.ts'
import {
  dropBaselines,
  insertBaselines,
  keepAsBaselines,
  type KeptSnapshots,
  readStates,
  saveStates,
} from './states.ts'

interface Deps {
  now: number
  documents: Documents
  /** Whether a note reports work waiting for a pause that is over by now. */
  isResumed: (note: Note) => boolean
}

/** Notes about a resource; notes of a worker require its claim. */
export interface HeldNotes {
  token: Pick<ClaimToken, 'owner' | 'newestEventId'>
  held: ResourceState
  notes: readonly Note[]
}

/** A state in memory: changed by the notes so far, not stored yet. */
interface Draft {
  held: ResourceState
  version: number
  hasSnapshot: boolean
  /** New snapshots, by version. */
  texts: Map<number, string>
  /** Of the newest of them. */
  identity: string | undefined
  isRead: boolean
  isChanged: boolean
  /** Whether a handler compared with an earlier snapshot. */
  hadEarlier: boolean
  kept: KeptSnapshots | undefined
}

/** Records notes: one write of state and journal row per resource. Notes of one kind share statements, across resources and handlers. Resolves with the rows of the journal, by resource: the caller names them in `resources`. */
export async function recordNotes(
  trx: Transaction<Tables>,
  recordings: readonly HeldNotes[],
  deps: Deps,
): Promise<ReadonlyMap<number, number>> {
  const { now } = deps
  const drafts: Draft[] = []
  const runs: RecordedRun[] = []
  const rows: NewJournalRow[] = []
  /** The first snapshots of all resources, their second ones, and so on: each builds on the one before. */
  const rounds: SnapshotEntry[][] = []
  await saveMemories(
    trx,
    recordings.flatMap(({ token, held, notes }) =>
      notes.flatMap((note) => (note.of === 'memory' ? { token, held, ...note } : [])),
    ),
    now,
  )
  for (const { token, held, notes } of joined(recordings)) {
    const draft = draftOf(held)
    const own: RecordedRun[] = []
    const read: SnapshotNote[] = []
    for (const note of notes) {
      if (note.of === 'memory') draft.isChanged = true
      else if (note.of === 'snapshot') {
        if (addSnapshot(draft, note)) read.push(note)
      } else if (note.of === 'success') {
        addSuccess(draft, note.run)
        own.push({ token, held, note })
      } else if (note.of === 'failure') {
        await addFailure(trx, draft, note.run.handler, deps.documents)
        own.push({ token, held, note, isResumed: deps.isResumed(note) })
      }
    }
    drafts.push(draft)
    runs.push(...own)
    for (const [round, note] of read.entries()) (rounds[round] ??= []).push({ held, note })
    const entry = {
      runs: own.map((run) => journalRunOf(run, now)),
      changes: read.flatMap((note) => changesOf(held, note)),
    }
    if (entry.runs.length + entry.changes.length > 0)
      rows.push({ number: held.number, journalId: held.journalId, entry })
  }
  const journalIds = await appendJournal(trx, rows, now)
  for (const round of rounds) await saveSnapshots(trx, round, now)
  await recordRuns(trx, runs, { now, journalIds })
  for (const { held, notes } of recordings) if (notes.some(({ of }) => of === 'no_poll')) await stopPolling(trx, held)
  await saveDrafts(trx, drafts, deps)
  return journalIds
}

/** One recording for each resource: two of one claim may share a commit. */
function joined(recordings: readonly HeldNotes[]): HeldNotes[] {
  return [...groupBy(recordings, ({ held }) => held)].map(([held, all]) => ({
    held,
    // Of one claim, as only one is held.
    token: (all[0] as HeldNotes).token,
    notes: all.flatMap(({ notes }) => notes),
  }))
}

function changesOf(
  { terminal, snapshotEventId = 0 }: ResourceState,
  { eventId, facts }: SnapshotNote,
): JournalChange[] {
  if (facts === undefined || facts.changes.length === 0) return []
  const { readAt: at, changes, outcome } = facts
  const course = outcome && {
    ...outcome.course,
    ...(eventId > snapshotEventId && { announcedBy: eventId }),
    ...(terminal && { wasTerminal: true }),
  }
  return [{ eventId, at, changes, ...(course && { course }) }]
}

function draftOf(held: ResourceState): Draft {
  const { version, hasSnapshot, document } = held
  return {
    held,
    version,
    hasSnapshot,
    texts: new Map(),
    identity: undefined,
    isRead: false,
    isChanged: false,
    hadEarlier: refersToEarlier(document, version),
    kept: undefined,
  }
}

/** False if retention deleted the snapshot meanwhile: there is none to be current. */
function addSnapshot(draft: Draft, { text, facts }: SnapshotNote): boolean {
  if (text === undefined && !draft.hasSnapshot) return false
  draft.isRead = true
  draft.isChanged = true
  if (text === undefined) return true
  draft.version += 1
  draft.texts.set(draft.version, text)
  draft.identity = facts && writeIdentity({ identifiers: facts.identifiers, groups: facts.outcome?.groups ?? {} })
  draft.hasSnapshot = true
  return true
}

/** The handler is in sync up to its run's last event; while the claim is held, the newest snapshot is the one that the run worked from. */
function addSuccess(draft: Draft, { handler, lastEventId }: { handler: string; lastEventId: number }): void {
  const { held, version, hasSnapshot } = draft
  held.document.handlers.set(handler, {
    handledEventId: lastEventId,
    baseline: hasSnapshot ? version : undefined,
    tried: [],
  })
  draft.isChanged = true
}

/** Beyond this, the oldest is dropped. */
const maxTried = 4

/** Adds the newest snapshot to those that the handler has failed with since its last success, if it differs from them. */
async function addFailure(
  trx: Transaction<Tables>,
  draft: Draft,
  handler: string,
  documents: Documents,
): Promise<void> {
  const { held, version, texts, hasSnapshot } = draft
  const { handledEventId = 0, baseline, tried = [] } = held.document.handlers.get(handler) ?? {}
  const known = [tried.at(-1), baseline]
  if (!hasSnapshot || known.includes(version)) return
  const kept = (draft.kept ??= (await readStates(trx, [held], documents)).get(held.number)?.kept ?? (() => undefined))
  const read = (each: number | undefined): unknown => {
    const text = each === undefined ? undefined : texts.get(each)
    if (text !== undefined) return JSON.parse(text)
    const document = kept(each)
    // An unreadable value must fail its reader, not this write.
    return document !== undefined && 'text' in document ? JSON.parse(document.text) : undefined
  }
  const state = read(version)
  // A snapshot that differs only in signatures would push out one with real differences.
  if (state === undefined || known.some((each) => isSameState(state, read(each)))) return
  held.document.handlers.set(handler, { handledEventId, baseline, tried: [...tried, version].slice(-maxTried) })
  draft.isChanged = true
}

async function saveDrafts(trx: Transaction<Tables>, drafts: readonly Draft[], { now, documents }: Deps): Promise<void> {
  const changed = drafts.filter(({ isChanged }) => isChanged)
  const replaced: number[] = []
  const passed: Tables['baselines'][] = []
  for (const { held, version, texts, hadEarlier } of changed) {
    const { number, id, document } = held
    const wanted = versionsIn(document)
    if (hadEarlier) await dropBaselines(trx, number, wanted)
    if (held.hasSnapshot && held.version !== version && wanted.has(held.version)) replaced.push(number)
    for (const [each, text] of texts)
      if (each !== version && wanted.has(each))
        passed.push({
          resource: number,
          version: each,
          snapshot: documents.write(text, sealContext.snapshot(id)),
          read_at: now,
        })
  }
  await keepAsBaselines(trx, replaced)
  await insertBaselines(trx, passed)
  await saveStates(
    trx,
    changed.map(({ held: { number, id, document }, version, texts, identity, isRead }) => ({
      number,
      id,
      document,
      version,
      text: texts.get(version),
      identity,
      readAt: isRead ? now : null,
    })),
    documents,
  )
}

async function stopPolling(trx: Transaction<Tables>, { number }: ResourceState): Promise<void> {
  await trx.updateTable('resources').set({ next_poll_at: null }).where('number', '=', number).execute()
}
