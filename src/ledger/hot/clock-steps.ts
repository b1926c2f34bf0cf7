import type { Kysely, Transaction } from 'kysely'
import type { Storage } from '../storage.ts'
import type { Tables } from '../tables.ts'

/** Sees when the ledger's clock was set, forth or back, beside the time that really passed. */
export interface ClockSteps {
  /** As the storage's own, noticing steps. */
  now(db: Kysely<Tables>): Promise<number>
  /** Steps that nobody has settled yet. */
  pending(): number
  /** Says that so many of the pending steps were dealt with. */
  settle(steps: number): void
}

/** Smaller ones shorten or lengthen a wait or a lease by less than matters. Milliseconds. */
const minStepMs = 5_000

export function createClockSteps(storage: Pick<Storage, 'now' | 'elapsed'>): ClockSteps {
  const elapsed = storage.elapsed ?? (() => performance.now())
  let last: { now: number; askedAt: number; answeredAt: number } | undefined
  let steps = 0

  return {
    async now(db) {
      const askedAt = elapsed()
      const now = await storage.now(db)
      const answeredAt = elapsed()
      if (last !== undefined) {
        // The answer was made at some time between question and answer, and so was the last one.
        const minMs = askedAt - last.answeredAt - minStepMs
        const maxMs = answeredAt - last.askedAt + minStepMs
        const passedMs = now - last.now
        if (passedMs < minMs || passedMs > maxMs) steps += 1
      }
      last = { now, askedAt, answeredAt }
      return now
    },
    pending: () => steps,
    settle: (settled) => void (steps -= settled),
  }
}

/** A receiver that started first may have stored so many events since the clock was set. */
const eventsToLookAt = 1_000

/** Whether one of the newest events seems to come from the future: the clock was set back while no process looked. */
export async function isBehindEvents(db: Kysely<Tables>, now: number): Promise<boolean> {
  const newest = db.selectFrom('events').select('received_at').orderBy('id', 'desc').limit(eventsToLookAt).as('newest')
  const latest = await db
    .selectFrom(newest)
    .select(({ fn }) => fn.max('received_at').as('at'))
    .executeTakeFirst()
  return (latest?.at ?? 0) > now + minStepMs
}

/** After a step no stored time means what it meant: whoever waits is due now, and every lease begins anew, so that living holders can renew theirs and those of the dead still end. */
export async function beginTimeAnew(trx: Transaction<Tables>, leaseMs: number, now: number): Promise<void> {
  await trx
    .updateTable('resources')
    .set({ claim_until: now + leaseMs })
    .where('claim_owner', 'is not', null)
    .execute()
  await trx.updateTable('resources').set({ rest_until: null }).where('rest_until', '>', now).execute()
  await trx.updateTable('resources').set({ due_at: now }).where('due_at', '>', now).execute()
  await trx.updateTable('progress').set({ due_at: now }).where('due_at', '>', now).execute()
  await trx.deleteFrom('outages').execute()
}
