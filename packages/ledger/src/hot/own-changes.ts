import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'
import type { Core } from '../core.ts'

/** A change that pawl itself requested from the service: no content, only enough to recognise it. */
export interface OwnChangeNote {
  name: string
  /** Distinguishes changes of one name, such as by the id of a pharmacy. */
  value?: string
  /** The resource's newest event at the time of the request. */
  afterEventId: number
  at: number
}

type Change = Pick<OwnChangeNote, 'name' | 'value'>

/** How long a change is recognised as pawl's own, in milliseconds: its event, or the poll that finds it, comes well before. */
const keptMs = 86_400_000

/** The changes in `resources.own_changes` that are not too old. */
export function readOwnChanges(column: string | null, now: number): OwnChangeNote[] {
  if (column === null) return []
  // JSON written below.
  const notes = JSON.parse(column) as OwnChangeNote[]
  return notes.filter(({ at }) => now - at < keptMs)
}

/** Records a change of a known resource. False if already recorded, since later events may already stem from it. */
export async function noteOwnChange(
  trx: Transaction<Tables>,
  resourceId: string,
  change: Change,
  now: number,
): Promise<boolean> {
  const row = await selectResource(trx, resourceId)
  if (row === undefined) return false
  const notes = readOwnChanges(row.own_changes, now)
  if (notes.some(isOf(change))) return false
  // A change replaces the previous one of the same name: only the last pharmacy will be seen.
  const others = notes.filter(({ name }) => name !== change.name)
  await save(trx, resourceId, [...others, { ...change, afterEventId: row.newest_event_id, at: now }])
  return true
}

/** Deletes the record of a change. */
export async function forgetOwnChange(
  trx: Transaction<Tables>,
  resourceId: string,
  change: Change,
  now: number,
): Promise<void> {
  const row = await selectResource(trx, resourceId)
  if (row === undefined) return
  const isIt = isOf(change)
  await save(
    trx,
    resourceId,
    readOwnChanges(row.own_changes, now).filter((note) => !isIt(note)),
  )
}

const isOf =
  ({ name, value }: Change) =>
  (note: OwnChangeNote) =>
    note.name === name && note.value === value

async function selectResource(trx: Transaction<Tables>, resourceId: string) {
  return trx
    .selectFrom('resources')
    .select(['newest_event_id', 'own_changes'])
    .where('id', '=', resourceId)
    .executeTakeFirst()
}

async function save(trx: Transaction<Tables>, resourceId: string, notes: readonly OwnChangeNote[]): Promise<void> {
  const own_changes = notes.length === 0 ? null : JSON.stringify(notes)
  await trx.updateTable('resources').set({ own_changes }).where('id', '=', resourceId).execute()
}

/** Records changes that pawl itself requests from the service. */
export interface OwnChanges {
  /** Records that pawl requests a change. False, with nothing recorded, for an unknown resource or a change already recorded within the last day. */
  noteOwnChange(resourceId: string, change: Pick<OwnChangeNote, 'name' | 'value'>): Promise<boolean>
  /** Deletes the record of a change that was not carried out. */
  forgetOwnChange(resourceId: string, change: Pick<OwnChangeNote, 'name' | 'value'>): Promise<void>
}

export function createOwnChanges({ writeTo }: Core): OwnChanges {
  return {
    noteOwnChange: (resourceId, change) =>
      writeTo(resourceId, (trx, now) => noteOwnChange(trx, resourceId, change, now)),
    forgetOwnChange: (resourceId, change) =>
      writeTo(resourceId, (trx, now) => forgetOwnChange(trx, resourceId, change, now)),
  }
}
