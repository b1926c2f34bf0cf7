import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'
import { readNumbers } from '../resource-number.ts'
import { fits } from './work-conditions.ts'
import type { WorkFilter } from './work-filter.ts'

/** Makes the parked and failed work of these resources due now, and resets its attempts; `isResumed` clears its error and its wait instead. Resolves with the resources that still had some. */
export async function makeDue(
  trx: Transaction<Tables>,
  resourceIds: readonly string[],
  filter: WorkFilter,
  { now, isResumed = false }: { now: number; isResumed?: boolean },
): Promise<string[]> {
  const numbers = await readNumbers(trx, resourceIds)
  if (numbers.size === 0) return []
  const rows = await trx
    .updateTable('work')
    .set({
      state: 'due',
      due_at: now,
      parked_at: null,
      ...(isResumed
        ? { error_code: null, error_message: null, error_status: null, error_system: '', waits_since: null }
        : { attempts: 0 }),
    })
    .where('resource', 'in', [...numbers.values()])
    .where(fits(filter))
    .returning('resource')
    .execute()
  const changed = new Set(rows.map(({ resource }) => resource))
  const dueIds = resourceIds.filter((id) => changed.has(numbers.get(id) ?? 0))
  await makeRetried(trx, dueIds, now)
  return dueIds
}

/** Makes resources with retried work due; a worker that holds a claim on one notices it on release. */
export async function makeRetried(trx: Transaction<Tables>, resourceIds: readonly string[], now: number) {
  if (resourceIds.length === 0) return
  await trx
    .updateTable('resources')
    .set((eb) => ({ due_at: now, retries: eb('retries', '+', 1) }))
    .where('id', 'in', resourceIds)
    .execute()
}
