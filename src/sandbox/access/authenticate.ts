import type { RequestHandler, Response } from 'express'
import { refuse } from '../platform/documented-errors.ts'
import type { Organization, Organizations } from './organizations.ts'
import type { Tokens } from './tokens.ts'

/** Lets through who carries a valid API token, and remembers whose it is; else 401, or 403 without API access (specification, Authentication). */
export function authenticate(deps: { tokens: Tokens; organizations: Organizations }): RequestHandler {
  return async (req, res, next) => {
    const id = await deps.tokens.verify(req.get('authorization'))
    const organization = id === undefined ? undefined : deps.organizations.find(id)
    if (organization === undefined) throw refuse('unauthorized')
    if (!organization.apiAccess) throw refuse('api_access_not_enabled')
    res.locals.organization = organization
    next()
  }
}

/** The organization that `authenticate` let through. */
export function organizationOf(res: Response): Organization {
  // The compiler cannot see that every route stands behind `authenticate`.
  return res.locals.organization as Organization
}
