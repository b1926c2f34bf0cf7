import type { RequestHandler, Response } from 'express'
import { refuse } from '../platform/refusal.ts'
import type { Organization, Organizations } from './organizations.ts'
import type { Tokens } from './tokens.ts'

/** Attaches the organization of a valid API token to the request; answers 401 without one (specification, Authentication). */
export function authenticate(deps: { tokens: Tokens; organizations: Organizations }): RequestHandler {
  return async (req, res, next) => {
    const id = await deps.tokens.verify(req.get('authorization'))
    const organization = id === undefined ? undefined : deps.organizations.find(id)
    if (organization === undefined) throw refuse('unauthorized')
    res.locals.organization = organization
    next()
  }
}

/** Refuses the requests of an organization without API access (specification, Authentication 5). */
export const requireApiAccess: RequestHandler = (_req, res, next) => {
  if (!organizationOf(res).apiAccess) throw refuse('api_access_not_enabled')
  next()
}

/** The organization attached by `authenticate`. */
export function organizationOf(res: Response): Organization {
  // The compiler cannot see that `authenticate` runs before every route.
  return res.locals.organization as Organization
}
