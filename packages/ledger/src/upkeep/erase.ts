import type { Transaction } from 'kysely'
import { noSnapshot } from './no-snapshot.ts'
import { synced } from '../hot/progress.ts'
import type { Tables } from '../tables.ts'
import type { NamedResource } from '../hot/snapshots.ts'
import { numbersOfEvents } from '../resource-number.ts'

/** Counts of what was removed, and the writes to other systems, which pawl cannot remove. */
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
    .select(['number', 'newest_event_id', 'claim_until', 'snapshot_id'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (resource === undefined) return 'unknown'
  const { number } = resource
  if (resource.claim_until !== null && resource.claim_until > now) return 'in_work'
  const progress = await trx
    .selectFrom('progress')
    .select(['state', 'baseline_id', 'tried'])
    .where('resource', '=', number)
    .execute()
  const written = await readWritten(trx, number)
  const newest = resource.newest_event_id
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
  await trx
    .updateTable('progress')
    .set({ ...synced, handled_event_id: newest, tried_event_id: newest, baseline_id: null, tried: null })
    .where('resource', '=', number)
    .execute()
  await trx.updateTable('attempts').set({ error_message: null }).where('resource', '=', number).execute()
  await remove(trx, 'snapshots', number)
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
      snapshots: resource.snapshot_id === null ? 0 : 1,
      baselines: progress.filter(({ baseline_id: baseline }) => baseline !== null).length,
      tried: progress.filter(({ tried }) => tried !== null).length,
      effects: Number(effects.numUpdatedRows),
      notices: await eraseNotices(trx, id),
      memory: (await removeShared(trx, { number, id })) + (await remove(trx, 'memory', number)),
      lookups: await remove(trx, 'lookups', number),
      transitions: await remove(trx, 'transitions', number),
      outcomes: await remove(trx, 'outcomes', number),
    },
    dropped: progress.filter(({ state }) => state !== 'synced').length,
    written,
  }
}

/** Empties the bodies of these events; resolves with the number that were not empty. */
export async function eraseBodies(trx: Transaction<Tables>, ids: readonly number[]): Promise<number> {
  let count = 0
  for (let at = 0; at < ids.length; at += 500) {
    const some = ids.slice(at, at + 500)
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

async function readEventIds(trx: Transaction<Tables>, id: string): Promise<number[]> {
  const rows = await trx
    .selectFrom('events')
    .select('id')
    .where('resource', 'in', numbersOfEvents([id]))
    .execute()
  return rows.map((row) => row.id)
}

async function readWritten(trx: Transaction<Tables>, number: number): Promise<Erased['written']> {
  const rows = await trx.selectFrom('attempts').select('writes').where('resource', '=', number).execute()
  // JSON written by progress.ts.
  const writes = rows.flatMap(({ writes }) => JSON.parse(writes) as Erased['written'])
  const distinct = new Map(writes.map(({ system, type, id }) => [`${system}\n${type}\n${id}`, { system, type, id }]))
  return [...distinct.values()]
}

async function remove(
  trx: Transaction<Tables>,
  table: 'snapshots' | 'memory' | 'left_out' | 'lookups' | 'transitions' | 'outcomes',
  number: number,
) {
  const { numDeletedRows } = await trx.deleteFrom(table).where('resource', '=', number).executeTakeFirst()
  return Number(numDeletedRows)
}

/** Deletes the shared memories that a resource locked or wrote: call it before the resource's own memory goes. Resolves with their number. */
async function removeShared(trx: Transaction<Tables>, { number, id }: NamedResource): Promise<number> {
  const { numDeletedRows } = await trx
    .deleteFrom('shared_memory')
    .where((eb) =>
      eb.or([
        eb('holder_id', '=', id),
        eb.exists(
          eb
            .selectFrom('memory')
            .select('memory.role')
            .where('memory.resource', '=', number)
            .whereRef('memory.system', '=', 'shared_memory.system')
            .whereRef('memory.role', '=', 'shared_memory.role'),
        ),
      ]),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}
