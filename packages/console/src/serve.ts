import type { Request, Response, Router } from 'express'
import type { z } from 'zod'
import { PawlError } from '@pawl/base/errors'
import type { Actor } from '@pawl/ledger/audit/audit-entry'
import { readActor } from './actor.ts'
import { type Asked, type ErrorCode, errorStatuses, type Route } from './contract/route.ts'

/** A refused request. `status` is the HTTP status. */
export class RequestRefused extends PawlError {
  readonly code: string
  readonly status: number

  constructor(code: string, message: string, status: number) {
    super(message)
    this.code = code
    this.status = status
  }
}

/** A refusal with an error code of the contract. */
export function refusal(code: ErrorCode, message: string): RequestRefused {
  return new RequestRefused(code, message, errorStatuses[code])
}

/** The refusal of an invalid query or body. */
export function invalid({ invalidCode = 'bad_request', invalid }: Route, names: readonly string[] = []) {
  return refusal(invalidCode, invalid ?? `Invalid: ${names.join(', ')}.`)
}

/** Serves a route of the contract. The admin listener's error handler answers errors of `answer`. */
export function serve<R extends Route>(
  router: Router,
  route: R,
  answer: (asked: Asked<R> & { actor: Actor; req: Request; res: Response }) => Promise<z.input<R['answer']>>,
): void {
  router[route.method](route.path, async (req, res) => {
    res.json(await answer({ ...readAsked(route, req), actor: readActor(req), req, res }))
  })
}

/** Reads a request. Throws `RequestRefused`. */
export function readAsked<R extends Route>(route: R, req: Request): Asked<R> {
  const read = (schema: z.ZodType | undefined, given: unknown) => {
    const parsed = schema?.safeParse(given)
    if (parsed?.success === false) {
      throw invalid(route, [...new Set(parsed.error.issues.map(({ path }) => String(path[0])))])
    }
    return parsed?.data
  }
  // The compiler cannot see that the parts are those of this route.
  return { id: req.params.id, query: read(route.query, req.query), body: read(route.body, req.body) } as Asked<R>
}
