import { Router } from 'express'
import { success } from '../platform/answer.ts'
import type { ControlTexts } from '../platform/control-texts.ts'
import type { Organizations } from '../access/organizations.ts'
import type { ProviderAuthorizations } from './provider-authorizations.ts'

/** Controls over provider authorizations. */
export interface ProviderControls {
  /** Signs an initiated authorization; returns the new state. */
  signProvider(npi: string, organization?: string): { npi: string; state: string }
}

export function providerControls(deps: {
  organizations: Organizations
  providerAuthorizations: Pick<ProviderAuthorizations, 'sign'>
}): ProviderControls {
  const { organizations, providerAuthorizations } = deps
  return {
    signProvider: (npi, organization) => ({
      npi,
      state: providerAuthorizations.sign(organizations.get(organization), npi),
    }),
  }
}

export function providerControlRoutes(controls: ProviderControls): Router {
  const router = Router()
  router.post('/organizations/:organization/providers/:npi/sign', (req, res) => {
    res.json(success(controls.signProvider(req.params.npi, req.params.organization)))
  })
  return router
}

export const providerControlTexts: ControlTexts = {
  'POST /organizations/:organization/providers/:npi/sign': { summary: 'Sign an initiated provider authorization' },
}
