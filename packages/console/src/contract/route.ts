import { z } from 'zod'
import type { Right } from '@pawl/base/roles'

/** Header with the caller's name, used if no credentials prove one. */
export const actorHeader = 'x-pawl-actor'

/** Error codes, each with its status. */
export const errorStatuses = {
  bad_request: 400,
  no_reason: 400,
  not_amended: 400,
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
  no_chart: 404,
  already_started: 409,
  changed: 409,
  in_work: 409,
  incomplete: 409,
  no_sealing_key: 409,
  not_away: 409,
  not_paused: 409,
  paused: 409,
  start_unsure: 409,
  too_many_requests: 429,
  sealed: 503,
  unavailable: 503,
} as const
export type ErrorCode = keyof typeof errorStatuses

/** Errors of any route; pawl's own errors add further codes of 503. */
export const commonErrors = ['unauthorized', 'forbidden', 'too_many_requests', 'unavailable'] as const

/** Body of an error response. */
export const ErrorAnswer = z
  .object({
    error: z.object({
      code: z.string().describe('Stable; each route names its codes.'),
      message: z.string().describe('One or two sentences for people. Never patient data.'),
    }),
  })
  .describe('A request that was refused or failed.')

/** One JSON route of the admin listener, shared by the console, the commands and the OpenAPI document. */
export interface Route {
  method: 'get' | 'post'
  /** In the syntax of Express; `:id` is the only parameter. */
  path: string
  needs: Right
  summary: string
  query?: z.ZodObject
  body?: z.ZodType
  answer: z.ZodType
  /** In addition to `commonErrors`, and to `bad_request` of routes with a query or a body. */
  errors?: readonly ErrorCode[]
  /** Message for an invalid query or body. Absent: it names the invalid fields. */
  invalid?: string
  /** Error code of that message. Default: `bad_request`. */
  invalidCode?: ErrorCode
  /** Another status with the same body as 200. */
  alsoStatus?: number
  /** Another content type of the response. */
  alsoType?: string
}

type Part<R extends Route, Name extends 'query' | 'body'> =
  R extends Record<Name, infer Schema extends z.ZodType> ? Schema : z.ZodUndefined
type IdOf<R extends Route> = R['path'] extends `${string}:id${string}` ? string : undefined

/** A parsed request. */
export interface Asked<R extends Route> {
  id: IdOf<R>
  query: z.output<Part<R, 'query'>>
  body: z.output<Part<R, 'body'>>
}

/** A client's request: the parts that its route has. */
export type Sent<R extends Route> = (undefined extends IdOf<R> ? unknown : { id: string }) &
  (R extends { query: infer Query extends z.ZodType } ? { query?: z.input<Query> } : unknown) &
  (R extends { body: infer Body extends z.ZodType } ? { body: z.input<Body> } : unknown)

/** Infers the exact type of a route. */
export function route<const R extends Route>(given: R): R {
  return given
}

/** A whole number as text in an address. */
export const number = (min: number, max: number) => z.coerce.number<number>().int().min(min).max(max)

/** A time. */
export const Moment = z.number().describe('Milliseconds since 1970.')
