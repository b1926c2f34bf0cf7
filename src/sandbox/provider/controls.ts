import { Router } from 'express'
import type { Organizations } from '../access/organizations.ts'
import type { ProviderAuthorizations } from './provider-authorizations.ts'

/** Controls over provider authorizations. */
export interface ProviderControls {
  /** Signs an authorization that was initiated, at once. */
  signProvider(npi: string, organization?: string): void
}

/** Creates the controls over provider authorizations. */
export function providerControls(deps: {
  organizations: Organizations
  providerAuthorizations: ProviderAuthorizations
}): ProviderControls {
  const { organizations, providerAuthorizations } = deps
  return { signProvider: (npi, organization) => providerAuthorizations.sign(organizations.get(organization), npi) }
}

/** The same over HTTP. */
export function providerControlRoutes(controls: ProviderControls): Router {
  const router = Router()
  router.post('/organizations/:organization/providers/:npi/sign', (req, res) => {
    controls.signProvider(req.params.npi, req.params.organization)
    res.json({ status: 'success' })
  })
  return router
}
