import { z } from 'zod'
import { identifierFields } from '../../service/schemas/identifiers.ts'

/** The kinds of resource. */
export const Kind = z.enum(['prior_authorization', 'benefit_verification', 'provider_outreach'])

/** The ways in which pawl hears of an event. */
export const Source = z.enum(['webhook', 'poll', 'api', 'cli'])

const Moment = z.string().describe('ISO 8601.')

const Row = z.int().min(0).optional()
/** The place in a story from which to read on backwards. */
export const StoryCursor = z.strictObject({
  event: Row,
  transition: Row,
  run: Row,
  reveal: Row,
  effect: z.tuple([z.number(), z.string(), z.string()]).optional(),
})

/** Something was received about the resource, or found or asked for by pawl itself. */
const Delivery = z.object({
  kind: z.literal('delivery'),
  at: Moment,
  eventId: z.number(),
  type: z.string(),
  source: Source,
  duplicates: z.number().describe('Copies that came after it.'),
  traceId: z.string().describe('The log lines and spans about it carry it.'),
})

/** The service answered otherwise than before. */
const Snapshot = z.object({
  kind: z.literal('snapshot'),
  at: Moment,
  eventId: z.number().describe('The newest event when it was read.'),
  changes: z
    .array(z.object({ field: z.string(), from: z.string().optional(), to: z.string().optional() }))
    .readonly()
    .describe('The fields that changed, with values of codes alone; of the first snapshot its codes, without `from`.'),
})

/** What a run left in a system; `link` is where a person can look at it. */
const Write = z.object({
  system: z.string(),
  type: z.string(),
  id: z.string(),
  version: z.string().optional(),
  link: z.string().optional(),
})
export type StoryWrite = z.infer<typeof Write>

/** A handler worked on it. */
const Run = z.object({
  kind: z.literal('run'),
  at: Moment.describe('When it began.'),
  durationMs: z.number(),
  handler: z.string(),
  result: z.enum(['succeeded', 'failed', 'parked', 'discarded']).describe('`discarded`: a person gave it up.'),
  error: z.object({ code: z.string(), message: z.string().optional() }).optional(),
  nextAt: Moment.optional().describe('When it was to be tried again.'),
  events: z.object({ first: z.number(), last: z.number() }),
  writes: z.array(Write),
})
export type RunEntry = z.infer<typeof Run>

/** A handler did something that is done once, such as sending a notice. */
const Effect = z.object({ kind: z.literal('effect'), at: Moment, handler: z.string(), key: z.string() })

/** Somebody had its content shown; why stands in the audit trail. */
const Reveal = z.object({ kind: z.literal('reveal'), at: Moment, actor: z.string() })

/** One thing that happened. */
export const StoryEntry = z.discriminatedUnion('kind', [Delivery, Snapshot, Run, Effect, Reveal])
export type StoryEntry = z.infer<typeof StoryEntry>

/** What is said of a resource wherever it is named. */
const Named = z.object({
  id: z.string(),
  kind: Kind,
  status: z.string().optional().describe("The service's own word, as of the last snapshot, where there is one."),
  outcome: z.array(z.string()).describe('The codes of the outcome.'),
  lastEventAt: Moment.optional(),
})

/** How one handler stands now. */
const Standing = z.object({
  handler: z.string(),
  state: z.enum(['synced', 'due', 'parked']),
  attempts: z.number().describe('Runs that failed since its last success.'),
  nextAt: Moment.optional(),
  parkedAt: Moment.optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
})

/** How a resource stands, and what happened to it: ids, codes and times, nothing of a patient. */
export const Story = Named.extend({
  isTerminal: z.boolean(),
  knownSince: Moment,
  readAt: Moment.optional().describe('When the last snapshot was stored.'),
  reads: z.number().describe('GETs spent on it.'),
  dueAt: Moment.optional(),
  nextPollAt: Moment.optional(),
  isInWork: z.boolean().describe('A worker is at it now.'),
  handlers: z.array(Standing),
  entries: z.array(StoryEntry).describe('The newest last.'),
  before: z.string().optional().describe('Ask with it for the entries before; absent: there are none.'),
})
export type Story = z.infer<typeof Story>

/** A resource that was found by its id, or by a number that it carries. */
const Match = Named.extend({ by: z.enum(['id', ...identifierFields]) })
export type Match = z.infer<typeof Match>

/** All that were found, the ones last heard of first. */
export const Matches = z.object({ matches: z.array(Match), isAll: z.boolean().describe('There are no others.') })
export type Matches = z.infer<typeof Matches>
