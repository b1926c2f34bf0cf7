import { z } from 'zod'
import { route } from './route.ts'

const dry_run = z.boolean().default(false).describe('Only count.')
const invalid = 'Send a JSON object with the optional fields cursor, from the previous step, and dry_run.'
/** Cursor of every step but the last. */
const cursor = z.string().optional().describe('Cursor for the next step; absent: done.')

/** Number of each kind that retention removed. */
export const Removed = z.object({
  deliveries: z.number(),
  dueBodies: z.number(),
  parkedBodies: z.number(),
  snapshots: z.number(),
  baselines: z.number(),
  effects: z.number(),
  notices: z.number(),
  outcomes: z.number(),
})
export type Removed = z.infer<typeof Removed>

export const upkeepContract = {
  rotateKeys: route({
    method: 'post',
    path: '/api/keys/rotate',
    needs: 'operate',
    summary: 'Seal all values with the newest key, step by step',
    body: z.strictObject({ cursor: z.string().max(300).optional(), dry_run }),
    invalid,
    answer: z.object({
      looked: z.number(),
      keys: z.record(z.string(), z.number()).describe('Values by their previous key.'),
      resealed: z.number(),
      unreadable: z.number(),
      cursor,
      total: z.number(),
      accepts_plain: z.boolean(),
    }),
    errors: ['no_sealing_key'],
  }),
  purgeLedger: route({
    method: 'post',
    path: '/api/ledger/purge',
    needs: 'operate',
    summary: 'Run retention now, step by step',
    body: z.strictObject({ cursor: z.int().min(0).optional(), dry_run }),
    invalid,
    answer: z.object({ removed: Removed, looked: z.number(), total: z.number(), cursor: z.number().optional() }),
  }),
  backfill: route({
    method: 'post',
    path: '/api/backfill',
    needs: 'operate',
    summary: 'Write, step by step, skipped records that a system now accepts',
    body: z.strictObject({ system: z.string().min(1).max(100), cursor: z.string().max(300).default('') }),
    invalid: 'Send a JSON object with system, one that lists its accepted types, and optionally cursor.',
    answer: z.object({
      types: z.array(z.string()).readonly().describe('Types that the system accepts.'),
      resources: z.number(),
      cursor,
    }),
  }),
}
