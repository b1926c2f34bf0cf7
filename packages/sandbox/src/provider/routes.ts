import { Router } from 'express'
import { ProviderAuthorizationRequest, ProviderLookupRequest } from 'pawl-client/schemas/provider'
import type { ProviderAuthorizations } from './provider-authorizations.ts'
import type { Registry } from './registry.ts'
import { validate } from '../platform/validate.ts'
import { organizationOf } from '../access/authenticate-token.ts'

/** The provider endpoints. The supplement shows its two without an envelope. */
export function providerRoutes(deps: { providerAuthorizations: ProviderAuthorizations; registry: Registry }) {
  const { providerAuthorizations, registry } = deps
  const router = Router()

  router.post('/provider/authorize', (req, res) => {
    providerAuthorizations.initiate(organizationOf(res), validate(ProviderAuthorizationRequest, req.body))
    res.json({ status: 'success' })
  })

  router.get('/authorized-providers', (_req, res) => {
    res.json(providerAuthorizations.signed(organizationOf(res)))
  })

  router.post('/provider/lookup', (req, res) => {
    res.json(registry.lookUp(validate(ProviderLookupRequest, req.body)))
  })

  return router
}
