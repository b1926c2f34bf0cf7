import type { Kysely, Transaction } from 'kysely'
import type { Storage } from '../storage.ts'
import { asked } from './statement.ts'
import type { Tables } from '../tables.ts'

/** Detects steps of the ledger's clock, forward or back, against the time that really passed. */
export interface ClockSteps {
  /** The storage's clock, watched for steps. */
  now: Storage['now']
  lock: Storage['lock']
  /** Steps not yet settled. */
  pending(): number
  /** Marks this many pending steps as settled. */
  settle(steps: number): void
}

/** Smaller steps change a wait or a lease by too little to matter. Milliseconds. */
const minStepMs = 5_000

export function createClockSteps(storage: Pick<Storage, 'now' | 'lock' | 'elapsed'>): ClockSteps {
  const elapsed = storage.elapsed ?? (() => performance.now())
  let last: { now: number; askedAt: number; answeredAt: number } | undefined
  let steps = 0

  function compare(now: number, askedAt: number): number {
    const answeredAt = elapsed()
    if (last !== undefined) {
      // Each reading was taken at an unknown moment between its question and its answer.
      const minMs = askedAt - last.answeredAt - minStepMs
      const maxMs = answeredAt - last.askedAt + minStepMs
      const passedMs = now - last.now
      if (passedMs < minMs || passedMs > maxMs) steps += 1
    }
    last = { now, askedAt, answeredAt }
    return now
  }

  return {
    async now(db) {
      const askedAt = elapsed()
      return compare(await storage.now(db), askedAt)
    },
    async lock(trx, resourceIds) {
      const askedAt = elapsed()
      const { answer } = await storage.lock(trx, resourceIds)
      return asked(answer.then((now) => compare(now, askedAt)))
    },
    pending: () => steps,
    settle: (settled) => void (steps -= settled),
  }
}

/** Max events that receivers which started first may have stored since the step. */
const eventsToLookAt = 1_000

/** Whether a recent event, or the newest refusal, seems to come from the future: the clock was set back while no process ran. */
export async function isBehindRecords(db: Kysely<Tables>, now: number): Promise<boolean> {
  const newest = db.selectFrom('events').select('received_at').orderBy('id', 'desc').limit(eventsToLookAt).as('newest')
  const latest = await db
    .selectFrom(newest)
    .select(({ fn }) => fn.max('received_at').as('at'))
    .executeTakeFirst()
  const refused = await db
    .selectFrom('rejections')
    .select('rejected_at as at')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return Math.max(latest?.at ?? 0, refused?.at ?? 0) > now + minStepMs
}

/** After a step, stored times mean nothing: all waiting work is due now, every lease restarts, and refusals and alerts of the future are of now. Living holders can still renew; leases of dead ones still end. */
export async function resetTimes(trx: Transaction<Tables>, leaseMs: number, now: number): Promise<void> {
  await trx
    .updateTable('resources')
    .set({ claim_until: now + leaseMs })
    .where('claim_owner', 'is not', null)
    .execute()
  await trx.updateTable('resources').set({ rest_until: null }).where('rest_until', '>', now).execute()
  await trx.updateTable('resources').set({ due_at: now }).where('due_at', '>', now).execute()
  await trx.updateTable('work').set({ due_at: now }).where('due_at', '>', now).execute()
  await trx.deleteFrom('outages').execute()
  await trx.updateTable('rejections').set({ rejected_at: now }).where('rejected_at', '>', now).execute()
  for (const moment of ['began_at', 'opened_at', 'changed_at', 'closed_at'] as const)
    await trx
      .updateTable('alerts')
      .set({ [moment]: now })
      .where(moment, '>', now)
      .execute()
}
