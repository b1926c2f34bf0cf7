import { z } from 'zod'
import { identifierFields } from '../../service/schemas/identifiers.ts'

/** The kinds of resource. */
export const Kind = z.enum(['prior_authorization', 'benefit_verification', 'provider_outreach'])

/** By what way pawl heard of an event. */
export const Source = z.enum(['webhook', 'poll', 'api', 'cli'])

const Moment = z.string().describe('ISO 8601.')

const Row = z.int().min(0).optional()
/** How far back a story was read. */
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
  /** Copies that came after it. */
  duplicates: z.number(),
  /** By what the log lines and spans about it are found. */
  traceId: z.string(),
})

/** The service answered otherwise than before. */
const Snapshot = z.object({
  kind: z.literal('snapshot'),
  at: Moment,
  /** The newest event when it was read. */
  eventId: z.number(),
  /** In which fields, with the values of codes alone; of the first snapshot, the codes that it began with, without `from`. */
  changes: z.array(z.object({ field: z.string(), from: z.string().optional(), to: z.string().optional() })).readonly(),
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
  /** When it began. */
  at: Moment,
  durationMs: z.number(),
  handler: z.string(),
  /** `discarded`: somebody said that it need not be done. */
  result: z.enum(['succeeded', 'failed', 'parked', 'discarded']),
  error: z.object({ code: z.string(), message: z.string().optional() }).optional(),
  /** When it was to be tried again. */
  nextAt: Moment.optional(),
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
  /** The service's own word, as of the last snapshot, where there is one. */
  status: z.string().optional(),
  /** The codes of the outcome. */
  outcome: z.array(z.string()),
  lastEventAt: Moment.optional(),
})

/** How one handler stands now. */
const Standing = z.object({
  handler: z.string(),
  state: z.enum(['synced', 'due', 'parked']),
  /** Runs that failed since its last success. */
  attempts: z.number(),
  nextAt: Moment.optional(),
  parkedAt: Moment.optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
})

/** How a resource stands, and what happened to it: ids, codes and times, nothing of a patient. */
export const Story = Named.extend({
  isTerminal: z.boolean(),
  knownSince: Moment,
  /** When the last snapshot was stored. */
  readAt: Moment.optional(),
  /** GETs spent on it. */
  reads: z.number(),
  dueAt: Moment.optional(),
  nextPollAt: Moment.optional(),
  /** Somebody works on it now. */
  isInWork: z.boolean(),
  handlers: z.array(Standing),
  /** The newest of those that were asked for, the newest last. */
  entries: z.array(StoryEntry),
  /** Ask with it for those before; absent: there are none. */
  before: z.string().optional(),
})
export type Story = z.infer<typeof Story>

/** A resource that was found by its id, or by a number that it carries. */
const Match = Named.extend({ by: z.enum(['id', ...identifierFields]) })
export type Match = z.infer<typeof Match>

/** All that were found, the ones last heard of first; `isAll` where there are no others. */
export const Matches = z.object({ matches: z.array(Match), isAll: z.boolean() })
export type Matches = z.infer<typeof Matches>
