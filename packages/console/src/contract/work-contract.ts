import { z } from 'zod'
import { Kind } from './story.ts'
import { Reason, reasonLength } from './reason.ts'
import { number, route } from './route.ts'

/** Means "at no system" in addresses and options. */
export const noSystem = '-'

/** Max pieces of work in one response. */
export const maxListed = 1_000

const Name = z.string().min(1).optional()

/** The states of failed work. */
export const State = z.enum(['parked', 'failing', 'waiting'])

const filters = {
  handler: Name.describe('Only work of this handler.'),
  system: Name.describe(`Only work that failed at this system; \`${noSystem}\` for no known system.`),
  error: Name.describe('Only work whose last failure has this code.'),
}

const listed = (limit: number) =>
  z.object({
    ...filters,
    resource: Name.describe('Only work on this resource.'),
    state: State.exclude(['parked']).optional(),
    limit: number(1, maxListed).default(limit),
  })
const listedWrong = `resource, handler, system and error are names; state is failing or waiting; limit is a number from 1 to ${maxListed}.`

const Selected = z.strictObject({
  all: z.literal(true).optional().describe('All work; excludes all other fields.'),
  resource_id: Name,
  ...filters,
  state: State.optional(),
  dry_run: z.boolean().default(false).describe('Only list the selected work.'),
})

/** One resource, handler, system, error, state, or several of them; all work only with `all`, so that an empty body never means everything. */
function saysWhich({ all, ...fields }: z.infer<typeof Selected>): boolean {
  return (
    (all === true) !== ['resource_id', 'state', ...Object.keys(filters)].some((name) => Object.hasOwn(fields, name))
  )
}

/** Number of pieces of work of one handler. */
export const HandlerCount = z.object({ handler: z.string(), count: z.number() })

const PieceOfWork = z.object({ resourceId: z.string(), handler: z.string() })
export type PieceOfWork = z.infer<typeof PieceOfWork>

const failure = { attempts: z.number(), errorCode: z.string(), errorMessage: z.string() }

/** A hold on all work, a handler's work, or the work with a system. */
export const Hold = z.object({
  kind: z.enum(['all', 'handler', 'system']),
  name: z.string().describe('The handler or the system; empty for all work.'),
  since: z.number(),
  forMs: z.number(),
  reason: z.string().optional(),
})
export type Hold = z.infer<typeof Hold>
const Held = z.array(Hold)

const All = z.strictObject({ all: z.literal(true) })
const One = z.strictObject({ name: z.string().min(1), kind: z.enum(['handler', 'system']).optional() })
const reason = Reason.optional()
const limit = z.number().int().min(1).max(100_000).optional().describe('Release only this many resources.')
const holdWrong = `Send a JSON object with name and optionally kind (handler, system), or with all: true; to pause optionally with reason, a text of ${reasonLength}, to resume optionally with limit.`

const unknownNames = ['unknown_handler', 'unknown_resource', 'unknown_system', 'unknown_error'] as const

const retry = route({
  method: 'post',
  path: '/api/retry',
  needs: 'operate',
  summary: 'Make parked and failed work due now',
  body: Selected.refine(saysWhich),
  invalid: 'Send a JSON object with resource_id, handler, system, error or state, several of them, or with all: true.',
  answer: z.object({
    retried: z.array(z.string()).describe('Ids of the resources.'),
    withoutHandler: z.array(HandlerCount).describe('Work not retried: its handler was removed from the integration.'),
  }),
  errors: unknownNames,
})

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
  retry,
  discard: route({
    method: 'post',
    path: '/api/parked/discard',
    needs: 'operate',
    summary: 'Discard parked and failing work: count it as done',
    body: Selected.extend({ reason: Reason }).refine(saysWhich),
    invalid: `Send a JSON object with reason, a text of ${reasonLength}, and resource_id, handler, system, error or state, several of them, or all: true.`,
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
    invalid: holdWrong,
    answer: z.object({ held: Held }),
    errors: ['unknown_name'],
  }),
  resume: route({
    method: 'post',
    path: '/api/resume',
    needs: 'operate',
    summary: 'Resume paused work, all of it or some',
    body: z.union([All.extend({ limit }), One.extend({ limit })]),
    invalid: holdWrong,
    answer: z.object({ resources: z.number(), more: z.boolean().describe('Others still wait.'), held: Held }),
    errors: ['unknown_name', 'not_paused'],
  }),
  probe: route({
    method: 'post',
    path: '/api/probe',
    needs: 'operate',
    summary: 'Ask a system that is away now, with a few of the resources that wait for it',
    body: z.strictObject({ system: z.string().min(1) }),
    invalid: 'Send a JSON object with system, a name.',
    answer: z.object({ resources: z.number().describe('Made due now; 0: nothing waits, the next work asks it.') }),
    errors: ['unknown_system', 'not_away', 'paused'],
  }),
}
