import { z } from 'zod'
import { reaches } from '../ranges.ts'
import { Moment } from './route.ts'
import { WorkFilter } from './filter.ts'

/** How far back a reconcile reaches. */
export const Reach = z.enum(reaches)

/** An act that the console offers by a button beside the finding. */
const Deed = z.discriminatedUnion('do', [
  z.object({ do: z.literal('probe'), system: z.string() }).describe('Tries a system, as `pawl probe` does.'),
  z
    .object({
      do: z.literal('resume'),
      kind: z.enum(['all', 'handler', 'system']),
      name: z.string(),
      since: Moment.describe('Start of the pause.'),
      reconcile: Reach.optional().describe('Also reconciles, as `pawl reconcile` does.'),
    })
    .describe('Resumes what is paused, as `pawl resume` does.'),
  z
    .object({
      do: z.literal('retry'),
      work: WorkFilter.describe('The work to retry.'),
      count: z.int(),
      limit: z.int().optional().describe('Only so many, the first; absent: all.'),
    })
    .describe('Retries work, as `pawl retry` does.'),
  z
    .object({ do: z.literal('none_missing'), isRest: z.boolean().describe('Whether some were read by id.') })
    .describe('Records that pawl missed no resource.'),
  z.object({ do: z.literal('reconcile'), since: Reach }).describe('Reconciles, as `pawl reconcile` does.'),
])
export type Deed = z.infer<typeof Deed>

/** One fault of the catalogue with its facts, as the API has it. */
export const Fault = z.object({
  code: z.string().describe('The fault of the catalogue; `well` for none.'),
  severity: z
    .enum(['bad', 'warn', 'wait', 'good'])
    .describe('`bad`: a person must act; `warn`: look at it; `wait`: pawl goes on by itself; `good`: all is well.'),
  title: z.string().describe('The start of the sentence, such as "The chart has been away".'),
  why: z.string().optional().describe('A code, a status or a reason.'),
  effect: z.string().optional().describe('The consequence, as a sentence of its own.'),
  todo: z.string().optional().describe('The remedy, in a few words.'),
  note: z.string().optional().describe('More that helps.'),
  runbook: z.string().optional().describe("The section of the console's page `/runbook`."),
  page: z.string().optional().describe("The console's page with the remedy."),
  act: z.string().optional().describe('The action that this page offers.'),
  isOptional: z
    .boolean()
    .optional()
    .describe('Whether that page only helps: it fixes nothing, or the fix is in `deeds`.'),
  command: z.string().optional().describe('A command that helps.'),
})
export type Fault = z.infer<typeof Fault>

/** A fault as it stands now. */
export const Finding = Fault.extend({
  since: Moment.optional().describe('When it began.'),
  deeds: z.array(Deed).optional().describe('Acts that the console offers, the more careful first.'),
})
export type Finding = z.infer<typeof Finding>

/** How pawl stands: the most urgent finding first; a single one of severity `good` if all is well. */
export const Verdict = z.tuple([Finding], Finding)
export type Verdict = z.infer<typeof Verdict>

/** A finding as one or two sentences; `time` writes a moment. */
export function sayFinding({ title, since, why, effect }: Finding, time: (at: number) => string): string {
  const began = since === undefined ? '' : ` since ${time(since)}`
  const because = why === undefined ? '' : ` (${why})`
  return `${title}${began}${because}.${effect === undefined ? '' : ` ${effect}`}`
}
