import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'
import type { Core } from '../core.ts'

/** A change that pawl itself asked the service for: no content, only what is needed to know it again. */
export interface OwnChangeNote {
  name: string
  /** Tells one such change from another, such as the id of a pharmacy. */
  value?: string
  /** The newest event of the resource when it was asked for. */
  afterEventId: number
  at: number
}

type Change = Pick<OwnChangeNote, 'name' | 'value'>

/** For how long a change is known as pawl's own, in milliseconds: its event, or the poll that finds it, comes long before. */
const keptMs = 86_400_000

/** The changes of `resources.own_changes` that are not too old. */
export function readOwnChanges(column: string | null, now: number): OwnChangeNote[] {
  if (column === null) return []
  // As written below.
  const notes = JSON.parse(column) as OwnChangeNote[]
  return notes.filter(({ at }) => now - at < keptMs)
}

/** Notes a change of a known resource; false where it stands there already, since events that came after the first note may be of it. */
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
  // A change of one name replaces the one before: only the last pharmacy is the one to be seen.
  const others = notes.filter(({ name }) => name !== change.name)
  await save(trx, resourceId, [...others, { ...change, afterEventId: row.newest_event_id, at: now }])
  return true
}

/** Takes back what was noted of a change. */
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

/** Notes changes that pawl itself asks the service for. */
export interface OwnChanges {
  /** Notes that pawl asks the service for a change of a resource that it knows; false, with nothing noted, for one that it does not know, and for what it noted within the last day already. */
  noteOwnChange(resourceId: string, change: Pick<OwnChangeNote, 'name' | 'value'>): Promise<boolean>
  /** Takes back the note of a change that was not carried out. */
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
