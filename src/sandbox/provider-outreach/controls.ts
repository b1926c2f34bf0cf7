import { Router } from 'express'
import { success } from '../platform/answer.ts'
import type { ProviderOutreaches } from './provider-outreaches.ts'
import type { ProviderOutreachResource } from './resource.ts'

/** Controls over provider outreach. */
export interface ProviderOutreachControls {
  /** The outreach attempts of a PA, as their events show them. */
  outreach(priorAuthorizationId: string): ProviderOutreachResource[]
}

/** Creates the controls over provider outreach. */
export function providerOutreachControls(outreaches: Pick<ProviderOutreaches, 'list'>): ProviderOutreachControls {
  return { outreach: outreaches.list }
}

/** The same over HTTP. */
export function providerOutreachControlRoutes(controls: ProviderOutreachControls): Router {
  const router = Router()
  router.get('/prior-authorization/:id/outreach', (req, res) => {
    res.json(success(controls.outreach(req.params.id)))
  })
  return router
}
