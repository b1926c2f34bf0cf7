import { Router } from 'express'
import { z } from 'zod'
import { type AccessControls, accessControlRoutes, accessControls } from './access/controls.ts'
import type { BenefitVerifications } from './benefit-verification/benefit-verifications.ts'
import type { SignedFiles } from './files/signed-files.ts'
import { compact, success } from './platform/answer.ts'
import { type PlatformControls, platformControlRoutes, platformControls } from './platform/controls.ts'
import { validate } from './platform/validate.ts'
import {
  type PriorAuthorizationControls,
  priorAuthorizationControlRoutes,
  priorAuthorizationControls,
} from './prior-authorization/controls.ts'
import type { PushedOutcome } from './prior-authorization/outcome.ts'
import type { PriorAuthorizations } from './prior-authorization/prior-authorizations.ts'
import { type ProviderControls, providerControlRoutes, providerControls } from './provider/controls.ts'
import {
  type ProviderOutreachControls,
  providerOutreachControlRoutes,
  providerOutreachControls,
} from './provider-outreach/controls.ts'
import type { ProviderOutreaches } from './provider-outreach/provider-outreaches.ts'
import { type WebhookControls, webhookControlRoutes, webhookControls } from './webhooks/controls.ts'

/** Controls over resources of any kind. */
interface ResourceControls {
  /** Moves a PA, a BV or an outreach attempt to a legal next status at once; a PA in `validating_outcome` can be given another outcome without leaving it. */
  push(id: string, status: string, options?: { outcome?: PushedOutcome }): void
  /** Cancels a PA or BV as its endpoint does. */
  cancel(id: string): void
}

/** Every control of a sandbox. An illegal one throws a `Refusal` whose message names what is legal. */
export type Controls = ResourceControls &
  AccessControls &
  PlatformControls &
  PriorAuthorizationControls &
  ProviderControls &
  ProviderOutreachControls &
  WebhookControls

type ResourceKinds = Parameters<typeof providerControls>[0] & {
  priorAuthorizations: PriorAuthorizations
  benefitVerifications: BenefitVerifications
  outreaches: ProviderOutreaches
}
type Platform = Parameters<typeof accessControls>[0] &
  Parameters<typeof platformControls>[0] &
  Omit<Parameters<typeof webhookControls>[0], 'registry'> & { files: Pick<SignedFiles, 'sign'> }

/** Creates the controls over the parts of the sandbox. */
export function createControls(deps: ResourceKinds & Platform): Controls {
  const { priorAuthorizations, benefitVerifications, outreaches, files } = deps
  return {
    ...accessControls(deps),
    ...platformControls(deps),
    ...webhookControls({ ...deps, registry: deps.organizations }),
    ...priorAuthorizationControls(priorAuthorizations),
    ...providerControls(deps),
    ...providerOutreachControls({ list: (id) => files.sign(outreaches.list(priorAuthorizations.get(id).id)) }),
    push: (id, status, { outcome } = {}) => {
      if (outreaches.has(id)) outreaches.push(id, status)
      else if (benefitVerifications.has(id)) benefitVerifications.push(benefitVerifications.get(id), status)
      else priorAuthorizations.push(priorAuthorizations.get(id), status, outcome)
    },
    cancel: (id) => {
      if (benefitVerifications.has(id)) benefitVerifications.cancel(benefitVerifications.get(id))
      else priorAuthorizations.cancel(priorAuthorizations.get(id), 'cancelled by a control')
    },
  }
}

const text = z.string().min(1)

const PushRequest = z.strictObject({
  status: text,
  outcome: z
    .strictObject({
      result: z.enum(['Approved', 'Approval', 'Denied', 'Not Submitted', 'Other']),
      detail_code: text.optional(),
    })
    .optional(),
})

/** The controls under `/_sandbox/`: they need no token, so the sandbox listens only on the loopback address by default. */
export function controlRoutes(deps: { controls: Controls; seed: number; truth: () => unknown }): Router[] {
  const { controls, seed, truth } = deps
  return [
    resourceControlRoutes(controls, truth),
    accessControlRoutes(controls),
    platformControlRoutes({ controls, seed }),
    webhookControlRoutes(controls),
    priorAuthorizationControlRoutes(controls),
    providerControlRoutes(controls),
    providerOutreachControlRoutes(controls),
  ]
}

function resourceControlRoutes(controls: ResourceControls, truth: () => unknown): Router {
  const router = Router()

  router.get('/truth', (_req, res) => {
    res.json(success(truth()))
  })

  router.post('/resources/:id/push', (req, res) => {
    const { status, outcome } = validate(PushRequest, req.body)
    controls.push(req.params.id, status, outcome === undefined ? {} : { outcome: compact(outcome) })
    res.json({ status: 'success' })
  })

  router.post('/resources/:id/cancel', (req, res) => {
    controls.cancel(req.params.id)
    res.json({ status: 'success' })
  })

  return router
}
