import type { RequestHandler, Response } from 'express'
import { codedRefusal } from '../errors.ts'
import type { Organization, Organizations } from '../organizations.ts'
import type { Tokens } from '../tokens.ts'

/** Lets through who carries a valid API token, and remembers whose it is; else 401 (specification, Authentication). */
export function authenticate(deps: { tokens: Tokens; organizations: Organizations }): RequestHandler {
  return async (req, res, next) => {
    const id = await deps.tokens.verify(req.get('authorization'))
    const organization = id === undefined ? undefined : deps.organizations.find(id)
    if (organization === undefined)
      throw codedRefusal(401, {
        title: 'Unauthorized',
        description: 'Send a valid API token as: Authorization: Bearer <token>.',
        code: 'unauthorized',
      })
    res.locals.organization = organization
    next()
  }
}

/** The organization that `authenticate` let through. */
export function organizationOf(res: Response): Organization {
  // The compiler cannot see that every route stands behind `authenticate`.
  return res.locals.organization as Organization
}
