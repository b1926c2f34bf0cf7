import { z } from 'zod'
import { Moment } from './route.ts'

/** One fact about how pawl stands, with the remedy. */
export const Finding = z.object({
  tone: z
    .enum(['bad', 'warn', 'wait', 'good'])
    .describe('`bad`: a person must act; `warn`: look at it; `wait`: pawl goes on by itself; `good`: all is well.'),
  what: z.string().describe('The start of the sentence, such as "The chart has been away".'),
  since: Moment.optional().describe('When it began.'),
  why: z.string().optional().describe('A code, a status or a reason.'),
  effect: z.string().optional().describe('The consequence, as a sentence of its own.'),
  todo: z.string().optional().describe('What a person does about it, in a few words.'),
  note: z.string().optional().describe('What helps to know on the way, for who reads on.'),
  runbook: z.string().optional().describe("The section of the console's page `/runbook`."),
  page: z.string().optional().describe("The console's page with the remedy."),
  act: z.string().optional().describe('The action that this page offers.'),
  isOptional: z.boolean().optional().describe('Whether the action mends nothing and only helps meanwhile.'),
  asks: z.string().optional().describe('A system that the console offers to try at once, as `pawl probe` does.'),
  command: z.string().optional().describe('A command that helps.'),
})
export type Finding = z.infer<typeof Finding>

/** How pawl stands: the most urgent finding first; a single one of tone `good` if all is well. */
export const Verdict = z.tuple([Finding], Finding)
export type Verdict = z.infer<typeof Verdict>

/** A finding as one or two sentences; `time` writes a moment. */
export function sayFinding({ what, since, why, effect }: Finding, time: (at: number) => string): string {
  const began = since === undefined ? '' : ` since ${time(since)}`
  const because = why === undefined ? '' : ` (${why})`
  return `${what}${began}${because}.${effect === undefined ? '' : ` ${effect}`}`
}
