import { count, whole } from '../base/setting-types.ts'

/** How much is worked on at once, and how soon again. */
export const workSettings = {
  CONCURRENCY: whole(1, 1_000)
    .optional()
    .describe(
      'Resources in work at once. Absent: 16 with the ledger on SQLite, 48 on PostgreSQL, where more of them share each commit.',
    ),
  REST_MS: count(500, 60_000).describe(
    'Rest of a resource after a run, in milliseconds: events that arrive meanwhile share the next run.',
  ),
  LEASE_MS: count(30_000, 3_600_000).describe(
    'Lease of a claim unless renewed, in milliseconds: how long a killed process blocks its resources.',
  ),
  RETRY_ATTEMPTS: count(15, 1_000).describe('Attempts of a handler before its work is parked.'),
  RETRY_BASE_MS: count(2_000, 3_600_000).describe(
    'Wait before the second attempt, in milliseconds; each further wait is twice as long.',
  ),
  RETRY_MAX_MS: count(3_600_000, 86_400_000).describe(
    'Maximum wait between two attempts, in milliseconds; a system that asks for more (Retry-After) gets it, up to a week.',
  ),
  BREAKER_COOLDOWN_MS: count(15_000, 3_600_000).describe(
    'How long an absent system is left alone before one piece of work tries it again, in milliseconds.',
  ),
  SWEEP_INTERVAL_MS: count(5_000, 3_600_000).describe(
    'Maximum time between two sweeps for due work that the queue lost, in milliseconds.',
  ),
  POLL_INTERVAL_MS: count(30_000, 3_600_000).describe(
    'Maximum time between two rounds of polling for missed webhooks, in milliseconds.',
  ),
}

/** How many resources are in work at once unless CONCURRENCY says: on PostgreSQL a commit takes longer, and costs about the same for many as for few. */
export function concurrencyOn(databaseUrl: string): number {
  return databaseUrl.startsWith('file:') ? 16 : 48
}
