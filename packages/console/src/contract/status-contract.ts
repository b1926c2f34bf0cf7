import { z } from 'zod'
import { shownResults } from '@pawl/ledger/tables'
import { Away } from '@pawl/ledger/away'
import { LimitReading } from 'pawl-client/schemas/rate-policies'
import { Moment, number, route } from './route.ts'
import { Finding, Verdict } from './status-verdict.ts'
import { HandlerCount, Pause } from './work-contract.ts'

/** One alert, open or over. */
export const Alert = z.object({
  id: z.number(),
  kind: z.string(),
  level: z.number().describe('From 0 to 100.'),
  count: z.number(),
  most: z.number().describe('The highest count.'),
  fault: Finding,
  resourceId: z.string().optional().describe('One of the affected resources.'),
  openedAt: Moment,
  closedAt: Moment.optional(),
})
export type Alert = z.infer<typeof Alert>

/** A target of alerts. */
export const AlertTarget = z.object({
  name: z.string(),
  isDead: z.boolean().describe('Alerts do not reach it.'),
  failures: z.number().describe('Failed attempts since its last message.'),
  failingForMs: z.number().optional(),
  errorCode: z.string().optional(),
  sentAgoMs: z.number().optional(),
  waiting: z.number().describe('Alerts whose current state was not sent to it yet.'),
})
export type AlertTarget = z.infer<typeof AlertTarget>

const Alerts = z.object({ open: z.array(Alert), targets: z.array(AlertTarget) })

const WaitingFor = z.object({ handler: z.string(), system: z.string(), errorCode: z.string(), count: z.number() })

const Failing = z.object({
  ...HandlerCount.shape,
  oldest: z.object({
    resourceId: z.string(),
    forMs: z.number(),
    attempts: z.number(),
    errorCode: z.string(),
    errorMessage: z.string(),
  }),
})

const LeftOut = z.object({ system: z.string(), count: z.number(), reason: z.string() })

const counts = z.object({
  events: z.number(),
  unhandled: z.number().describe('Events that no handler can follow.'),
  resources: z.number(),
  due: z.number(),
  parked: z.number(),
  oldestDueMs: z.number(),
  waiting: z.number().describe('Pieces of work that wait for a pause or an absent system.'),
  oldestWaitingMs: z.number(),
  oldestParkedMs: z.number(),
  toPoll: z.number(),
  reconciling: z.number().describe('Resources with a requested poll not tried yet.'),
  reconcileCancelled: z.boolean().describe('Whether the newest reconcile was cancelled.'),
  unreadable: z.number().describe('Resources whose requested poll failed; they are retried.'),
})

const state = {
  breakers: z.record(z.string(), z.string()).describe('The breaker of each system.'),
  away: z.array(Away).readonly(),
  paused: z.array(Pause),
  disk: z
    .object({
      freeBytes: z.number(),
      state: z.enum(['enough', 'low', 'full']),
      largeLogBytes: z
        .number()
        .optional()
        .describe('Size of a write-ahead log that a long read keeps from being emptied.'),
    })
    .optional()
    .describe("The ledger's disk, if it is one of this machine."),
  ledger: z
    .object({
      forMs: z.number(),
      code: z.string().describe('`locked`, `read_only`, `no_answer`, or the code of an error.'),
      by: z.array(z.string()).readonly().describe('Processes that hold a lock, as `psql[4711]`.'),
    })
    .optional()
    .describe('While the ledger takes no writes.'),
  queue: z.object({ name: z.string(), outage: z.object({ forMs: z.number(), code: z.string() }).optional() }),
  audit: z
    .enum(['whole', 'altered'])
    .describe('`altered` for a week after the audit trail was found altered, unless that was acknowledged.'),
}

export const statusContract = {
  readiness: route({
    method: 'get',
    path: '/readyz',
    needs: 'view',
    summary: 'Get whether this process accepts deliveries and runs handlers',
    answer: z.object({
      status: z
        .enum(['ready', 'disk_full', 'ledger_blocked'])
        .describe('`disk_full` and `ledger_blocked` have status 503, except from a worker.'),
      degraded: z.array(z.enum(['queue', 'audit'])),
      ...counts.partial().describe('Absent while the ledger cannot be counted in time.').shape,
      ...state,
    }),
    alsoStatus: 503,
  }),
  status: route({
    method: 'get',
    path: '/api/status',
    needs: 'view',
    summary: 'Get counts of the ledger, failures, and systems that are away',
    answer: z.object({
      verdict: Verdict,
      ...counts.shape,
      ...state,
      sealing: z.enum(['on', 'off', 'turning_on']),
      alerts: Alerts,
      failing: z.array(Failing),
      waitingFor: z.array(WaitingFor),
      leftOut: z.array(LeftOut),
      limits: z.array(LimitReading),
      withoutHandler: z.array(HandlerCount),
      refused: z
        .array(z.object({ reason: z.string(), count: z.number(), firstAt: Moment, lastAt: Moment, check: z.string() }))
        .describe('Deliveries refused within a day.'),
    }),
  }),
  handlers: route({
    method: 'get',
    path: '/api/handlers',
    needs: 'view',
    summary: 'Get the last runs of handlers, and all pauses',
    answer: z.object({
      lastRuns: z.array(z.object({ handler: z.string(), result: z.enum(shownResults), agoMs: z.number() })),
      paused: z.array(Pause),
    }),
  }),
  alerts: route({
    method: 'get',
    path: '/api/alerts',
    needs: 'view',
    summary: 'List open alerts and their targets',
    answer: Alerts,
  }),
  alertHistory: route({
    method: 'get',
    path: '/api/alerts/history',
    needs: 'view',
    summary: 'List alerts, open and over, the newest first',
    query: z.object({
      limit: number(1, 1_000).default(50),
      before: number(0, Number.MAX_SAFE_INTEGER).optional().describe('`cursor` of the previous part.'),
    }),
    invalid: 'limit is a number from 1 to 1000, before the cursor of the previous part.',
    answer: z.object({ alerts: z.array(Alert), cursor: z.number().optional() }),
  }),
  testAlerts: route({
    method: 'post',
    path: '/api/alerts/test',
    needs: 'operate',
    summary: 'Send each target of alerts a test message',
    answer: z.object({
      targets: z.array(
        z.object({
          target: z.string(),
          ok: z.boolean(),
          answer: z.string().describe('A code, such as `http_200`.'),
        }),
      ),
    }),
  }),
}

export type Status = z.infer<(typeof statusContract)['status']['answer']>
