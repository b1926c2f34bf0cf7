import { count, whole } from '@pawl/base/setting-types'

/** Concurrency, retries and timing of work. */
export const workSettings = {
  CONCURRENCY: whole(1, 1_000)
    .optional()
    .describe(
      'Resources in work at once. Absent: 16 with the ledger on SQLite, 48 on PostgreSQL, where more of them share each commit.',
    ),
  REST_MS: count(500, 60_000).describe(
    'Pause of a resource after a run, in milliseconds: events received meanwhile are handled together.',
  ),
  LEASE_MS: count(30_000, 3_600_000).describe(
    'Lease of a claim on a resource, unless renewed, in milliseconds: how long a killed process blocks others.',
  ),
  RETRY_ATTEMPTS: count(15, 1_000).describe('Attempts of a handler before its work is parked.'),
  RETRY_BASE_MS: count(2_000, 3_600_000).describe(
    'Backoff before the second attempt, in milliseconds; it doubles with each attempt.',
  ),
  RETRY_MAX_MS: count(3_600_000, 86_400_000).describe(
    'Maximum backoff between two attempts, in milliseconds; a longer Retry-After of a system is obeyed, up to a week.',
  ),
  BREAKER_COOLDOWN_MS: count(15_000, 3_600_000).describe(
    'How long pawl waits before it probes a system that is away with one piece of work, in milliseconds.',
  ),
  SWEEP_INTERVAL_MS: count(5_000, 3_600_000).describe(
    'Maximum time between two sweeps for due work that the queue lost, in milliseconds.',
  ),
  POLL_INTERVAL_MS: count(30_000, 3_600_000).describe(
    'Maximum time between two rounds of polling for missed webhooks, in milliseconds.',
  ),
}

/** Default of CONCURRENCY: on PostgreSQL a commit takes longer, and costs about the same for many as for few. */
export function concurrencyOn(databaseUrl: string): number {
  return databaseUrl.startsWith('file:') ? 16 : 48
}
