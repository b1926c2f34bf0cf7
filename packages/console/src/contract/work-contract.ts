import { z } from 'zod'
import { Kind } from './story.ts'
import { Reason, reasonLength } from './reason.ts'
import { number, route } from './route.ts'
import { saysWhich, Selected, State, WorkFilter } from './filter.ts'

/** Max pieces of work in one response. */
export const maxListed = 1_000

const listed = (limit: number) =>
  WorkFilter.extend({
    state: State.exclude(['parked']).optional(),
    limit: number(1, maxListed).default(limit),
  })
const listedWrong = `resource, handler, system and error are names; state is failing or waiting; limit is a number from 1 to ${maxListed}.`

/** Number of pieces of work of one handler. */
export const HandlerCount = z.object({ handler: z.string(), count: z.number() })

const PieceOfWork = z.object({ resourceId: z.string(), handler: z.string() })
export type PieceOfWork = z.infer<typeof PieceOfWork>

const failure = { attempts: z.number(), errorCode: z.string(), errorMessage: z.string() }

/** A pause of all work, of a handler, or of a system. */
export const Pause = z.object({
  kind: z.enum(['all', 'handler', 'system']),
  name: z.string().describe('The handler or the system; empty for all work.'),
  since: z.number(),
  forMs: z.number(),
  reason: z.string().optional(),
})
export type Pause = z.infer<typeof Pause>
const paused = z.array(Pause)

const All = z.strictObject({ all: z.literal(true) })
const One = z.strictObject({ name: z.string().min(1), kind: z.enum(['handler', 'system']).optional() })
const reason = Reason.optional()
const pauseWrong = `Send a JSON object with name and optionally kind (handler, system), or with all: true; and to pause optionally with reason, a text of ${reasonLength}.`

const unknownNames = ['unknown_handler', 'unknown_resource', 'unknown_system', 'unknown_error'] as const

/** How a system writes the records of one resource otherwise than usual. */
const Amended = z.strictObject({
  without: z
    .array(z.string().max(100))
    .max(20)
    .default([])
    .describe('Elements left out, such as `DocumentReference.context`.'),
  document_type: z.string().max(300).optional().describe('Type of its documents, as `system|code`.'),
})

const fields = 'resource, handler, system, error or state, several of them, or all: true'

export const workContract = {
  parked: route({
    method: 'get',
    path: '/api/parked',
    needs: 'view',
    summary: 'List parked work',
    query: listed(maxListed),
    invalid: listedWrong,
    answer: z.object({
      parked: z.array(
        z.object({
          ...PieceOfWork.shape,
          state: State,
          system: z.string().describe('System of the failure; empty if unknown.'),
          ...failure,
          kind: Kind,
          failureId: z.number(),
          failedAt: z.number().optional(),
          dueAt: z.number().optional(),
          dueInMs: z.number().optional(),
          isClaimed: z.boolean().describe('A worker runs its resource now.'),
        }),
      ),
      count: z.number(),
    }),
    errors: unknownNames,
  }),
  due: route({
    method: 'get',
    path: '/api/due',
    needs: 'view',
    summary: 'List work that is due now or later',
    query: listed(100),
    invalid: listedWrong,
    answer: z.object({
      due: z.array(
        z.object({
          resourceId: z.string(),
          kind: Kind,
          dueInMs: z.number().describe('Zero or negative if due now.'),
          isClaimed: z.boolean(),
          failed: z.object({ handler: z.string(), ...failure }).optional(),
        }),
      ),
      isAll: z.boolean(),
    }),
    errors: unknownNames,
  }),
  retry: route({
    method: 'post',
    path: '/api/retry',
    needs: 'operate',
    summary: 'Make parked and failed work due now, all of it or the first',
    body: Selected.extend({
      limit: z.int().min(1).optional().describe('At most so many pieces, the oldest failure of each group first.'),
      amend: Amended.optional().describe(
        'How the systems at which the work failed write records of this one `resource` from now on; empty: as usual again.',
      ),
    })
      .refine(saysWhich)
      .refine(({ amend, resource }) => amend === undefined || resource !== undefined),
    invalid: `Send a JSON object with ${fields}, optionally limit, a number from 1, and with resource optionally amend.`,
    answer: z.object({
      retried: z.number().describe('Pieces of work made due.'),
      left: z.number().describe('Others that match and are not due; at most 10,000 of each group are counted.'),
      withoutHandler: z.array(HandlerCount).describe('Work not retried: its handler was removed from the integration.'),
    }),
    errors: [...unknownNames, 'not_amended'],
  }),
  discard: route({
    method: 'post',
    path: '/api/parked/discard',
    needs: 'operate',
    summary: 'Discard parked and failing work: count it as done',
    body: Selected.extend({
      reason: Reason,
      up_to: z.int().optional().describe('Only failures up to this `failureId`: leaves out later ones.'),
    }).refine(saysWhich),
    invalid: `Send a JSON object with reason, a text of ${reasonLength}, and ${fields}.`,
    answer: z.object({
      discarded: z.array(PieceOfWork),
      inWork: z.array(PieceOfWork).describe('Not discarded, since a worker ran it for half a minute.'),
    }),
    errors: [...unknownNames, 'nothing_to_discard', 'in_work'],
  }),
  pause: route({
    method: 'post',
    path: '/api/pause',
    needs: 'operate',
    summary: 'Pause all work, a handler, or a system',
    body: z.union([All.extend({ reason }), One.extend({ reason })]),
    invalid: pauseWrong,
    answer: z.object({ paused }),
    errors: ['unknown_name'],
  }),
  resume: route({
    method: 'post',
    path: '/api/resume',
    needs: 'operate',
    summary: 'Resume paused work',
    body: z.union([All, One]),
    invalid: pauseWrong,
    answer: z.object({ resources: z.number().describe('Those that waited, now due.'), paused }),
    errors: ['unknown_name', 'not_paused'],
  }),
  probe: route({
    method: 'post',
    path: '/api/probe',
    needs: 'operate',
    summary: 'Probe a system that is away, with a few of the resources that wait for it',
    body: z.strictObject({ system: z.string().min(1) }),
    invalid: 'Send a JSON object with system, a name.',
    answer: z.object({ resources: z.number().describe('Made due now; 0: no work waits, and the next work tries it.') }),
    errors: ['unknown_system', 'not_away', 'paused'],
  }),
}
