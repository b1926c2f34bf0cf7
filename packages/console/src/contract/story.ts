import { z } from 'zod'
import { shownResults, eventSources, progressStates } from '@pawl/ledger/tables'
import { identifierFields } from 'pawl-client/schemas/identifier-fields'
import { resourceKinds } from 'pawl-client/schemas/kind-of-resource'

/** The kinds of resource. */
export const Kind = z.enum(resourceKinds)

/** Sources of events. */
export const Source = z.enum(eventSources)

/** The states of a handler on a resource. */
export const HandlerState = z.enum(progressStates)

const Moment = z.string().describe('ISO 8601.')

const Row = z.int().min(0).optional()
/** Position in a story to continue from, backwards. */
export const StoryCursor = z.strictObject({
  event: Row,
  transition: Row,
  run: Row,
  reveal: Row,
  notice: Row,
  effect: z.tuple([z.number(), z.string(), z.string()]).optional(),
  start: z.tuple([z.number(), z.string()]).optional(),
})

/** An event was received about the resource, or found or requested by pawl itself. */
const Delivery = z.object({
  kind: z.literal('delivery'),
  at: Moment,
  eventId: z.number(),
  type: z.string(),
  source: Source,
  duplicates: z.number().describe('Later copies.'),
  traceId: z.string().describe('Also in its log lines and spans.'),
})

/** The service returned a new snapshot. */
const Snapshot = z.object({
  kind: z.literal('snapshot'),
  at: Moment,
  eventId: z.number().describe('The newest event at the time of the read.'),
  changes: z
    .array(z.object({ field: z.string(), from: z.string().optional(), to: z.string().optional() }))
    .readonly()
    .describe('Changed fields, with values of codes only; for the first snapshot its codes, without `from`.'),
})

/** A record that a run wrote to a system; `link` opens it for people. */
const Write = z.object({
  system: z.string(),
  type: z.string(),
  id: z.string(),
  version: z.string().optional(),
  link: z.string().optional(),
})
export type StoryWrite = z.infer<typeof Write>

/** A handler ran, or could only wait; equal failures or waits in a row are one entry. */
const Run = z.object({
  kind: z.literal('run'),
  at: Moment.describe('Start of the run, the newest of several.'),
  durationMs: z.number(),
  handler: z.string(),
  result: z.enum([...shownResults, 'discarded']).describe('`discarded`: given up by a person.'),
  waitsFor: z.string().optional().describe('With `waited`: a system, or the end of a pause.'),
  times: z.number().describe('Runs that this entry stands for; its other fields are of the newest.'),
  since: Moment.describe('Start of the first of them.'),
  error: z.object({ code: z.string(), message: z.string().optional() }).optional(),
  nextAt: Moment.optional().describe('Scheduled time of the retry.'),
  events: z.object({ first: z.number(), last: z.number() }),
  writes: z.array(Write),
})
export type RunEntry = z.infer<typeof Run>

/** A handler ran a one-time effect, such as sending a notice. */
const Effect = z.object({ kind: z.literal('effect'), at: Moment, handler: z.string(), key: z.string() })

/** A person started it from a prescription; the audit trail says who. */
const Start = z.object({
  kind: z.literal('start'),
  at: Moment,
  prescription: z.string().describe("The chart's own name, such as `MedicationRequest/123`."),
})

/** A person opened its content; the audit trail records why. */
const Reveal = z.object({ kind: z.literal('reveal'), at: Moment, actor: z.string() })

/** A notice of its transfer was added to the feed that pharmacies read. */
const Notice = z.object({
  kind: z.literal('notice'),
  at: Moment,
  noticeId: z.string(),
  sequence: z.number().describe('Its number in the feed.'),
  ncpdpId: z.string().describe('The pharmacy that may read it.'),
  readAt: Moment.optional().describe('When it was first handed out.'),
  acknowledgedAt: Moment.optional().describe('When the pharmacy acknowledged it.'),
  acknowledgedBy: z.string().optional().describe('Name of the pharmacy in PHARMACY_FEED_KEYS.'),
})
export type NoticeEntry = z.infer<typeof Notice>

/** One entry of a story. */
export const StoryEntry = z.discriminatedUnion('kind', [Start, Delivery, Snapshot, Run, Effect, Notice, Reveal])
export type StoryEntry = z.infer<typeof StoryEntry>

/** Common fields of a resource. */
const Named = z.object({
  id: z.string(),
  kind: Kind,
  status: z.string().optional().describe("The service's own value in the last snapshot, if any."),
  outcome: z.array(z.string()).describe('Codes of the outcome.'),
  lastEventAt: Moment.optional(),
})

/** Current state of one handler. */
const Standing = z.object({
  handler: z.string(),
  state: HandlerState,
  attempts: z.number().describe('Failed runs since its last success.'),
  nextAt: Moment.optional(),
  parkedAt: Moment.optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
})

/** State and history of a resource: ids, codes and times, nothing of a patient. */
export const Story = Named.extend({
  isTerminal: z.boolean(),
  knownSince: Moment,
  readAt: Moment.optional().describe('When the last snapshot was stored.'),
  reads: z.number().describe('Number of GETs.'),
  dueAt: Moment.optional(),
  nextPollAt: Moment.optional(),
  isInWork: z.boolean().describe('A worker runs it now.'),
  handlers: z.array(Standing),
  entries: z.array(StoryEntry).describe('The newest last.'),
  before: z.string().optional().describe('Cursor for earlier entries; absent: there are none.'),
})
export type Story = z.infer<typeof Story>

/** A resource found by its id, a number that it carries, an event or a trace. */
const Match = Named.extend({ by: z.enum(['id', 'event', 'trace', ...identifierFields]) })
export type Match = z.infer<typeof Match>

/** Resources found, those with the newest events first. */
export const Matches = z.object({ matches: z.array(Match), isAll: z.boolean().describe('The list is complete.') })
export type Matches = z.infer<typeof Matches>
