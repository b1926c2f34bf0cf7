import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** Records that an upkeep task was done. */
export async function noteUpkeep(trx: Transaction<Tables>, task: string, now: number): Promise<void> {
  await trx
    .insertInto('upkeep')
    .values({ task, done_at: now })
    .onConflict((conflict) => conflict.column('task').doUpdateSet({ done_at: now }))
    .execute()
}

/** When an upkeep task was last done; `undefined` if never recorded. */
export async function readUpkeep(db: Kysely<Tables>, task: string): Promise<number | undefined> {
  const row = await db.selectFrom('upkeep').select('done_at').where('task', '=', task).executeTakeFirst()
  return row?.done_at
}
