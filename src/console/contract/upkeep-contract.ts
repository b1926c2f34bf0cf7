import { z } from 'zod'
import { route } from './route.ts'

const dry_run = z.boolean().default(false).describe('Only count.')
const invalid = 'Send a JSON object with perhaps cursor, from the step before, and dry_run.'
/** Of a step that is not the last. */
const cursor = z.string().optional().describe('Ask with it for the next step; absent: that was all.')

/** How much of each kind retention removed. */
export const Removed = z.object({
  deliveries: z.number(),
  dueBodies: z.number(),
  parkedBodies: z.number(),
  snapshots: z.number(),
  baselines: z.number(),
  effects: z.number(),
  outcomes: z.number(),
  drift: z.number(),
})
export type Removed = z.infer<typeof Removed>

export const upkeepContract = {
  rotateKeys: route({
    method: 'post',
    path: '/api/keys/rotate',
    needs: 'operate',
    summary: 'Seal with the newest key, step by step, what another sealed',
    body: z.strictObject({ cursor: z.string().max(300).optional(), dry_run }),
    invalid,
    answer: z.object({
      looked: z.number(),
      keys: z.record(z.string(), z.number()).describe('Sealed values by the key that they had.'),
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
    summary: 'Delete now, step by step, what retention deletes by itself',
    body: z.strictObject({ cursor: z.int().min(0).optional(), dry_run }),
    invalid,
    answer: z.object({ removed: Removed, looked: z.number(), total: z.number(), cursor: z.number().optional() }),
  }),
  backfill: route({
    method: 'post',
    path: '/api/backfill',
    needs: 'operate',
    summary: 'Write, step by step, what a system takes by now',
    body: z.strictObject({ system: z.string().min(1).max(100), cursor: z.string().max(300).default('') }),
    invalid: 'Send a JSON object with system, one that says which types it takes, and perhaps cursor.',
    answer: z.object({
      types: z.array(z.string()).readonly().describe('The types that the system takes.'),
      resources: z.number(),
      cursor,
    }),
  }),
}
