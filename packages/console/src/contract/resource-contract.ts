import { z } from 'zod'
import { mendings, standings } from '@pawl/base/system-notes'
import { identifierFields } from 'pawl-client/schemas/identifier-fields'
import { eventStates } from '@pawl/ledger/views/rows'
import { cursorOf } from './cursor.ts'
import { Reason, reasonLength } from './reason.ts'
import { Moment, number, route } from './route.ts'
import { HandlerState, Kind, Matches, Source, Story, StoryCursor } from './story.ts'
import { State } from './filter.ts'

/** Max resources named in one request. */
export const namedLimit = 1_000

const limit = number(1, 1_000).default(50)
/** The number of an event. */
export const EventId = number(0, Number.MAX_SAFE_INTEGER)

/** What became of an event. */
export const EventState = z.enum(eventStates)
export type EventState = z.infer<typeof EventState>

/** An event, without its body. */
export const Event = z.object({
  id: z.number(),
  resourceId: z.string().optional().describe('Absent for an event without a resource.'),
  kind: Kind.optional(),
  type: z.string(),
  receivedAt: Moment,
  source: Source,
  repeats: z.number().describe('Later copies.'),
  state: EventState.describe('What became of it, the worst of its handlers; unhandled: no handler can follow it.'),
  traceparent: z.string().optional(),
})
export type Event = z.infer<typeof Event>

export const ResourceCursor = z.strictObject({ firstEventAt: z.number(), id: z.string() })
export const WaitingCursor = z.strictObject({ since: z.number(), id: z.string() })
export type WaitingCursor = z.infer<typeof WaitingCursor>

/** Kinds of resources that wait for people. */
export const WaitingKind = Kind.extract(['prior_authorization', 'benefit_verification'])

const after = 'The `cursor` of the previous part.'

/** The states of work that select resources. */
export const ResourceState = z.enum([...State.options, 'due'])

/** A record of the chart, by ids, codes and times alone. */
const ChartRecord = z.object({
  type: z.string(),
  id: z.string(),
  is: z
    .enum(standings)
    .describe(
      'elsewhere: others changed their part, or withdrew it; twice: a second live record of the same; orphaned: a live one that pawl does not remember.',
    ),
  what: z.string().describe('What it is, as pawl names it.'),
  status: z.string().optional(),
  at: z.string().optional().describe('Its date in the chart.'),
  link: z.string().optional().describe('Where a person can see it.'),
  mended: z
    .enum(mendings)
    .optional()
    .describe(
      'What mending did: written anew, with the next run; remembered: known again; left: the chart does not let pawl change it.',
    ),
})
export type ChartRecord = z.infer<typeof ChartRecord>

const Count = z.object({ resources: z.number() })

const maxEntries = 1_000

export const resourceContract = {
  events: route({
    method: 'get',
    path: '/api/events',
    needs: 'view',
    summary: 'List events, the newest first',
    query: z.object({
      type: z.string().min(1).optional(),
      resource: z.string().min(1).optional(),
      state: EventState.optional(),
      since: z.iso
        .datetime({ offset: true })
        .transform((text) => Date.parse(text))
        .optional(),
      before: EventId.optional(),
      after: EventId.optional().describe('Events after this one, the oldest first.'),
      limit,
    }),
    answer: z.object({ events: z.array(Event), cursor: z.number().optional() }),
  }),
  event: route({
    method: 'get',
    path: '/api/events/:id',
    needs: 'view',
    summary: 'Get one event, with the state of each handler',
    answer: Event.extend({
      handlers: z.array(
        z.object({ handler: z.string(), state: z.enum(['handled', 'waits', 'due', 'parked', 'unfollowed']) }),
      ),
    }),
    errors: ['unknown_event'],
  }),
  resources: route({
    method: 'get',
    path: '/api/resources',
    needs: 'view',
    summary: 'List resources, the newest first; with a state, the oldest first',
    query: z.object({
      kind: Kind.optional(),
      state: ResourceState.optional(),
      after: cursorOf(ResourceCursor).optional().describe(after),
      limit,
    }),
    answer: z.object({
      resources: z.array(
        z.object({
          id: z.string(),
          kind: Kind,
          firstEventAt: Moment,
          lastEventAt: Moment.optional(),
          status: z.string().optional().describe('As the service last returned it. None for an outreach attempt.'),
          result: z.string().optional().describe('Once it has ended, in the words of the report.'),
          terminal: z.boolean(),
          dueAt: Moment.optional(),
          isClaimed: z.boolean(),
          failing: z.number(),
          waiting: z.number(),
          parked: z.number(),
        }),
      ),
      cursor: z.string().optional(),
    }),
  }),
  resource: route({
    method: 'get',
    path: '/api/resources/:id',
    needs: 'view',
    summary: 'Get the state of a resource, and its cost',
    answer: z.object({
      id: z.string(),
      kind: Kind,
      events: z.number(),
      repeats: z.number(),
      reads: z.number(),
      writes: z.number(),
      terminal: z.boolean(),
      dueAt: Moment.optional(),
      progress: z.array(z.object({ handler: z.string(), state: HandlerState, handledEventId: z.number() })),
    }),
    errors: ['not_found'],
  }),
  story: route({
    method: 'get',
    path: '/api/resources/:id/story',
    needs: 'view',
    summary: 'Get the history of a resource',
    query: z.object({
      limit: number(1, maxEntries).default(100),
      before: cursorOf(StoryCursor).optional().describe('The `before` of the previous part.'),
    }),
    invalid: `limit is a number from 1 to ${maxEntries}; before is the one of the previous part.`,
    answer: Story,
    errors: ['unknown_resource'],
  }),
  find: route({
    method: 'post',
    path: '/api/resources/find',
    needs: 'view',
    summary: 'Find resources by an id or a number that they carry',
    body: z.strictObject({
      value: z.string().trim().min(1).max(200),
      fields: z.array(z.enum(identifierFields)).min(1).optional(),
    }),
    invalid: `Send a JSON object with value, the id or number, and perhaps fields, some of ${identifierFields.join(', ')}.`,
    answer: Matches,
  }),
  reveal: route({
    method: 'post',
    path: '/api/resources/:id/reveal',
    needs: 'reveal',
    summary: 'Open the snapshot of a resource, or the envelope of one of its events, patient data included',
    body: z.object({ reason: Reason, event: EventId.optional().describe('The number of an event of the resource.') }),
    invalid: `Say why: a reason of ${reasonLength}.`,
    invalidCode: 'no_reason',
    answer: z.object({
      id: z.string(),
      kind: Kind,
      readAt: Moment.optional(),
      snapshot: z.unknown().describe('As the service sent it.'),
    }),
    errors: ['unknown', 'nothing', 'sealed'],
  }),
  verify: route({
    method: 'post',
    path: '/api/resources/:id/verify',
    needs: 'operate',
    summary: 'Read back what the chart holds of a resource, and mend it on request',
    body: z.strictObject({
      mend: z
        .boolean()
        .default(false)
        .describe('Takes back what is superfluous, and has what is missing or changed written again.'),
    }),
    answer: z.object({
      id: z.string(),
      system: z.string(),
      records: z.array(ChartRecord),
      unsearched: z
        .array(z.string())
        .describe('Types that the chart cannot be searched for: a second record of these would not be seen.'),
    }),
    errors: ['unknown_resource', 'no_chart', 'in_work'],
  }),
  workQueue: route({
    method: 'get',
    path: '/api/work-queue',
    needs: 'view',
    summary: 'List resources that wait for people, the longest waiting first',
    query: z.object({
      kind: WaitingKind.optional(),
      team: z.string().optional().describe('Only what this team of STAFF_TEAMS takes.'),
      after: cursorOf(WaitingCursor).optional().describe(after),
      limit,
    }),
    invalid: `kind is ${WaitingKind.options.join(' or ')}; team is one of STAFF_TEAMS; after is the one of the previous answer; limit is from 1 to 1000.`,
    answer: z.object({
      waiting: z.array(
        z.object({
          id: z.string(),
          kind: Kind,
          reason: z.string(),
          since: Moment,
          due: z.string().describe('What is due, in words for staff.'),
          actions: z.array(z.object({ name: z.string(), operation: z.string(), words: z.string() })).readonly(),
        }),
      ),
      files: z
        .array(z.object({ id: z.string(), kind: Kind, file: z.string(), system: z.string(), since: Moment }))
        .describe('The newest files of the last 30 days that a system could not hold and no person saw to.'),
      cursor: z.string().optional(),
    }),
  }),
  fileDone: route({
    method: 'post',
    path: '/api/work-queue/done',
    needs: 'operate',
    summary: 'Mark a file that a system could not hold as done',
    body: z.strictObject({ resource: z.string().min(1), system: z.string().min(1), file: z.string().min(1) }),
    invalid: 'Send a JSON object with resource, system and file, as the work queue lists them.',
    answer: z.object({ isDone: z.boolean() }),
    errors: ['nothing'],
  }),
  sync: route({
    method: 'post',
    path: '/api/sync',
    needs: 'operate',
    summary: 'Have workers sync resources now',
    body: z
      .strictObject({
        resources: z.array(z.string().min(1)).max(namedLimit).describe('Ids, known to pawl or not.'),
        complete: z
          .boolean()
          .default(false)
          .describe(
            'Whether pawl missed no other resource during a time without deliveries; without ids: none at all.',
          ),
      })
      .refine(({ resources, complete }) => complete || resources.length > 0),
    invalid: `Send a JSON object with resources, 1 to ${namedLimit} ids, or with complete.`,
    answer: Count,
    errors: ['sync_refused'],
  }),
  resend: route({
    method: 'post',
    path: '/api/resend',
    needs: 'operate',
    summary: 'Have the last notices of transfers told again, as new ones',
    body: z.strictObject({ resources: z.array(z.string().min(1)).min(1).max(namedLimit) }),
    invalid: `Send a JSON object with resources, 1 to ${namedLimit} ids.`,
    answer: z.object({ resources: z.array(z.string()).describe('Those of which something was told, now due.') }),
    errors: ['sync_refused'],
  }),
  reconcile: route({
    method: 'post',
    path: '/api/reconcile',
    needs: 'operate',
    summary: 'Read resources that may have changed since a moment from the service again',
    body: z.strictObject({ since: z.iso.datetime({ offset: true }) }),
    invalid: 'Send a JSON object with since, an ISO 8601 date-time.',
    answer: Count,
  }),
  cancelReconcile: route({
    method: 'post',
    path: '/api/reconcile/cancel',
    needs: 'operate',
    summary: 'Cancel a reconcile: resources not read yet are polled at their own time again',
    answer: Count,
  }),
}
