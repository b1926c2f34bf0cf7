import type { Transaction } from 'kysely'
import { noSnapshot } from './no-snapshot.ts'
import type { Tables } from '../tables.ts'
import { type JournalEntry, walkJournal } from '../hot/journal-rows.ts'
import { emptyDocument, type StateDocument } from '../hot/state-document.ts'
import { editDocuments, type NamedResource, readDocuments } from '../hot/states.ts'
import { inParts, readEventIds } from '../hot/event-chain.ts'

/** Counts of removals, and the writes to other systems, which pawl cannot remove. */
export interface Erased {
  removed: {
    bodies: number
    snapshots: number
    baselines: number
    tried: number
    effects: number
    notices: number
    memory: number
    lookups: number
    transitions: number
    outcomes: number
  }
  /** Pieces of work not yet synced, now dropped. */
  dropped: number
  /** The distinct writes of its handlers' runs. */
  written: { system: string; type: string; id: string }[]
}

/** Removes a resource's patient data. Its id, the ids and fingerprints of its events, its writes and the fact of its effects stay, so that late copies are recognised. */
export async function eraseResource(
  trx: Transaction<Tables>,
  id: string,
  now: number,
): Promise<Erased | 'in_work' | 'unknown'> {
  const resource = await trx
    .selectFrom('resources')
    .leftJoin('states', 'resource', 'number')
    .select(['number', 'newest_event_id', 'claim_until', 'read_at', 'journal_id'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (resource === undefined) return 'unknown'
  const { number } = resource
  if (resource.claim_until !== null && resource.claim_until > now) return 'in_work'
  const document = (await readDocuments(trx, [number])).get(number) ?? emptyDocument()
  const { written, transitions } = await eraseJournal(trx, resource.journal_id)
  const newest = resource.newest_event_id
  const handlers = [...document.handlers.values()]
  await trx
    .updateTable('resources')
    .set({
      ...noSnapshot,
      // No poll or worker may fetch it again, and a former holder of the claim records nothing.
      next_poll_at: null,
      reconcile: null,
      due_at: null,
      claim_owner: null,
      claim_until: null,
    })
    .where('id', '=', id)
    .execute()
  const dropped = await trx.deleteFrom('work').where('resource', '=', number).returning('handler').execute()
  const memory = (await removeShared(trx, { number, id }, document)) + countMemory(document)
  await trx
    .updateTable('states')
    .set({ snapshot: null, identity: null, read_at: null })
    .where('resource', '=', number)
    .execute()
  await editDocuments(trx, [number], ({ handlers, memory }) => {
    for (const name of [...handlers.keys(), ...dropped.map(({ handler }) => handler)])
      handlers.set(name, { handledEventId: newest, tried: [] })
    memory.clear()
  })
  await remove(trx, 'baselines', number)
  await remove(trx, 'left_out', number)
  const effects = await trx
    .updateTable('effects')
    .set({ value: null })
    .where('resource', '=', number)
    .where('value', 'is not', null)
    .executeTakeFirst()
  const bodies = await eraseBodies(trx, await readEventIds(trx, id))
  return {
    removed: {
      bodies,
      snapshots: resource.read_at === null ? 0 : 1,
      baselines: handlers.filter(({ baseline }) => baseline !== undefined).length,
      tried: handlers.filter(({ tried }) => tried.length > 0).length,
      effects: Number(effects.numUpdatedRows),
      notices: await eraseNotices(trx, id),
      memory: memory + (await remove(trx, 'handler_memory', number)),
      lookups: await remove(trx, 'lookups', number),
      transitions,
      outcomes: await remove(trx, 'outcomes', number),
    },
    dropped: dropped.length,
    written,
  }
}

/** Empties the bodies of these events; resolves with the number that were not empty. */
export async function eraseBodies(trx: Transaction<Tables>, ids: readonly number[]): Promise<number> {
  let count = 0
  for (const some of inParts(ids)) {
    const { numUpdatedRows } = await trx
      .updateTable('events')
      .set({ body: Buffer.alloc(0) })
      .where('id', 'in', some)
      .where((eb) => eb(eb.fn('length', ['body']), '>', 0))
      .executeTakeFirst()
    count += Number(numUpdatedRows)
  }
  return count
}

/** The rows stay, so that the numbers of the feed never go back. */
async function eraseNotices(trx: Transaction<Tables>, id: string): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('feed')
    .set({ body: Buffer.alloc(0), gone: 'erased' })
    .where('resource_id', '=', id)
    .where('gone', 'is', null)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Removes messages of errors and differences of snapshots; runs and their writes stay. Resolves with both: the distinct writes, and the number of differences. */
async function eraseJournal(
  trx: Transaction<Tables>,
  head: number | null,
): Promise<{ written: Erased['written']; transitions: number }> {
  const written = new Map<string, Erased['written'][number]>()
  let transitions = 0
  for await (const { id, entry } of walkJournal(trx, head)) {
    for (const { writes } of entry.runs)
      for (const { system, type, id } of writes) written.set(`${system}\n${type}\n${id}`, { system, type, id })
    const runs = entry.runs.map(({ error, ...run }) =>
      error === undefined ? run : { ...run, error: { code: error.code } },
    )
    transitions += entry.changes.length
    await trx
      .updateTable('journal')
      .set({ entry: JSON.stringify({ runs, changes: [] } satisfies JournalEntry) })
      .where('id', '=', id)
      .execute()
  }
  return { written: [...written.values()], transitions }
}

async function remove(
  trx: Transaction<Tables>,
  table: 'baselines' | 'handler_memory' | 'left_out' | 'lookups' | 'outcomes',
  number: number,
) {
  const { numDeletedRows } = await trx.deleteFrom(table).where('resource', '=', number).executeTakeFirst()
  return Number(numDeletedRows)
}

const countMemory = ({ memory }: StateDocument) => [...memory.values()].reduce((sum, roles) => sum + roles.size, 0)

/** Deletes the shared memories that a resource locked or wrote. Resolves with their number. */
async function removeShared(
  trx: Transaction<Tables>,
  { id }: NamedResource,
  { memory }: StateDocument,
): Promise<number> {
  const locked = await trx.deleteFrom('shared_memory').where('holder_id', '=', id).returning('role').execute()
  let count = locked.length
  for (const [system, roles] of memory)
    for (const role of roles.keys()) {
      const written = trx.deleteFrom('shared_memory').where('system', '=', system).where('role', '=', role)
      count += Number((await written.executeTakeFirst()).numDeletedRows)
    }
  return count
}
