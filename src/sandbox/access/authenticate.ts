import type { RequestHandler, Response } from 'express'
import { refuse } from '../platform/documented-errors.ts'
import type { Organization, Organizations } from './organizations.ts'
import type { Tokens } from './tokens.ts'

/** Passes requests with a valid API token on and notes the organization; else 401, or 403 without API access (specification, Authentication). */
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

/** The organization that `authenticate` noted. */
export function organizationOf(res: Response): Organization {
  // The compiler cannot see that `authenticate` runs before every route.
  return res.locals.organization as Organization
}
