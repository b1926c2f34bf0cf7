import { Router } from 'express'
import { z } from 'zod'
import type { Controls } from '../controls.ts'
import { validate } from '../platform/validate.ts'
import { compact, success } from '../platform/answer.ts'

const text = z.string().min(1)

const RevokeRequest = z.strictObject({ token: text })

const OrganizationRequest = z.strictObject({
  workflow: z.enum(['delegated', 'non_delegated']).optional(),
  manual_review: z.boolean().optional(),
  api_access: z.boolean().optional(),
  pharmacy: z.boolean().optional(),
  requires_provider_authorization: z.boolean().optional(),
  daily_prior_auth_limit: z.int().nonnegative().optional(),
  daily_new_plan_limit: z.int().nonnegative().optional(),
})

const FailureRequest = z.strictObject({ operation: text, code: text, times: z.int().positive().optional() })

/** Controls over who may do what, and what is to fail. */
export function accessControlRoutes({ controls }: { controls: Controls }) {
  const router = Router()

  router.post('/tokens/revoke', async (req, res) => {
    const { token } = validate(RevokeRequest, req.body)
    res.json(success({ revoked: await controls.revokeToken(token) }))
  })

  router.put('/organizations/:organization', (req, res) => {
    const settings = validate(OrganizationRequest, req.body ?? {})
    controls.putOrganization({
      id: req.params.organization,
      ...compact({
        workflow: settings.workflow,
        manualReview: settings.manual_review,
        apiAccess: settings.api_access,
        pharmacy: settings.pharmacy,
        requiresProviderAuthorization: settings.requires_provider_authorization,
        dailyPriorAuthLimit: settings.daily_prior_auth_limit,
        dailyNewPlanLimit: settings.daily_new_plan_limit,
      }),
    })
    res.json({ status: 'success' })
  })

  router.post('/organizations/:organization/failures', (req, res) => {
    controls.failNext({ organization: req.params.organization, ...compact(validate(FailureRequest, req.body)) })
    res.json({ status: 'success' })
  })

  router.post('/organizations/:organization/providers/:npi/sign', (req, res) => {
    controls.signProvider(req.params.npi, req.params.organization)
    res.json({ status: 'success' })
  })

  return router
}
