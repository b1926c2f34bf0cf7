import { z } from 'zod'
import type { Right } from '../../base/roles.ts'

/** The header in which a caller names itself where no credentials prove its name. */
export const actorHeader = 'x-pawl-actor'

/** Codes of refusals, each with its status. */
export const errorStatuses = {
  bad_request: 400,
  no_reason: 400,
  sync_refused: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  nothing: 404,
  nothing_to_discard: 404,
  unknown: 404,
  unknown_error: 404,
  unknown_event: 404,
  unknown_handler: 404,
  unknown_name: 404,
  unknown_resource: 404,
  unknown_system: 404,
  in_work: 409,
  no_sealing_key: 409,
  not_paused: 409,
  too_many_requests: 429,
  sealed: 503,
  unavailable: 503,
} as const
export type ErrorCode = keyof typeof errorStatuses

/** Refusals that any route may answer; of the codes of 503, pawl's own errors add theirs. */
export const commonErrors = ['unauthorized', 'forbidden', 'too_many_requests', 'unavailable'] as const

/** The answer to a request that is refused or fails. */
export const ErrorAnswer = z
  .object({
    error: z.object({
      code: z.string().describe('Stable; the routes name the codes that they answer.'),
      message: z.string().describe('One or two sentences for people. Never patient data.'),
    }),
  })
  .describe('A request that was refused or failed.')

/** One JSON route of the admin listener, as the console serves it, the commands call it and its OpenAPI document tells it. */
export interface Route {
  method: 'get' | 'post'
  /** As Express writes it; `:id` is the only parameter. */
  path: string
  needs: Right
  summary: string
  query?: z.ZodObject
  body?: z.ZodType
  answer: z.ZodType
  /** Besides `bad_request` where there is a query or a body, and `commonErrors`. */
  errors?: readonly ErrorCode[]
  /** The message for a query or a body that does not fit. Absent: it names the fields that do not. */
  invalid?: string
  /** The code that goes with it. Default: `bad_request`. */
  invalidCode?: ErrorCode
  /** A status besides 200 that comes with the same answer. */
  alsoWith?: number
  /** Another type of content that can be asked for. */
  alsoAs?: string
}

type Part<R extends Route, Name extends 'query' | 'body'> =
  R extends Record<Name, infer Schema extends z.ZodType> ? Schema : z.ZodUndefined
type IdOf<R extends Route> = R['path'] extends `${string}:id${string}` ? string : undefined

/** A request as its route is served it. */
export interface Asked<R extends Route> {
  id: IdOf<R>
  query: z.output<Part<R, 'query'>>
  body: z.output<Part<R, 'body'>>
}

/** A request as a client writes it: the parts that its route has. */
export type Sent<R extends Route> = (undefined extends IdOf<R> ? unknown : { id: string }) &
  (R extends { query: infer Query extends z.ZodType } ? { query?: z.input<Query> } : unknown) &
  (R extends { body: infer Body extends z.ZodType } ? { body: z.input<Body> } : unknown)

/** Keeps the exact type of a route. */
export function route<const R extends Route>(given: R): R {
  return given
}

/** A whole number that stands in an address as text. */
export const number = (min: number, max: number) => z.coerce.number<number>().int().min(min).max(max)
