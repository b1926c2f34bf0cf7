import type { Kysely } from 'kysely'
import type { Tables } from '@pawl/ledger/tables'
import { readRefused } from '@pawl/ledger/views/refused'
import { type Finding, warn } from './finding.ts'

const hourMs = 3_600_000

/** Finds deliveries refused within the last hour, by reason. */
export async function examineWebhooks(db: Kysely<Tables>, now: number): Promise<Finding[]> {
  const refused = await readRefused(db, now - hourMs)
  return refused.map(({ reason, count }) =>
    warn(
      'webhooks',
      `${count} refused within an hour (${reason}).`,
      'See in "pawl status" what to check for this reason.',
    ),
  )
}
