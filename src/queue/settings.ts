import { address } from '@pawl/base/setting-types'

/** Address of the queue between processes. */
export const queueSettings = {
  QUEUE_URL: address(['redis:', 'rediss:'])
    .optional()
    .describe(
      "Queue between processes: redis://host:6379 or rediss://host:6379; absent: the ledger's PostgreSQL, and with a ledger on SQLite within this process.",
    ),
}
