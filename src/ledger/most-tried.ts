import { type Kysely, sql } from 'kysely'
import type { FailureKey, MostTried } from './ledger.ts'
import { selectNextKey } from './failures.ts'
import type { Tables } from './tables.ts'

/** Error codes are few (see failures.ts). */
const maxGroups = 200

/** Of each group of work that failed and will be tried again, the piece that was tried most often; the index `progress_tries` finds it. */
export async function readMostTried(db: Kysely<Tables>): Promise<MostTried[]> {
  const found: MostTried[] = []
  for (let after: FailureKey | undefined; found.length < maxGroups;) {
    const row = await selectNextKey(db, 'due', after).executeTakeFirst()
    if (row === undefined) break
    after = { state: 'due', handler: row.handler, system: row.error_system, errorCode: row.error_code ?? '' }
    const most = await selectMostTried(db, after).executeTakeFirst()
    if (most === undefined) continue
    const { handler, errorCode } = after
    found.push({ handler, errorCode, attempts: most.attempts, resourceId: most.resource_id })
  }
  return found
}

/** The piece of work of a group that was tried most often. */
function selectMostTried(db: Kysely<Tables>, { handler, system, errorCode }: FailureKey) {
  return db
    .selectFrom('progress')
    .select(['attempts', 'resource_id'])
    .where('state', '=', sql.lit('due'))
    .where('handler', '=', handler)
    .where('error_system', '=', system)
    .where('error_code', '=', errorCode)
    .orderBy('attempts', 'desc')
    .limit(1)
}
