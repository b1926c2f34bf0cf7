import { Router } from 'express'
import { z } from 'zod'
import { compact, success } from '../platform/answer.ts'
import { validate } from '../platform/validate.ts'
import type { WebhookSettings } from '../webhooks/settings.ts'
import type { ForcedFailure, ForcedFailures } from './forced-failures.ts'
import { policyNames, type Quotas } from './limit-policies.ts'
import type { Organization, Organizations, OrganizationSettings } from './organizations.ts'
import type { Tokens } from './tokens.ts'

/** Controls over organizations, their tokens and quotas, and over which calls fail. */
export interface AccessControls {
  /** Adds or replaces an organization; its webhooks are replaced too where they are given. */
  putOrganization(settings: OrganizationSettings): void
  /** Every organization as it is, the default one first; webhooks without their secrets. */
  listOrganizations(): (Omit<Organization, 'webhooks'> & { webhooks: Omit<WebhookSettings, 'secret'>[] })[]
  /** Changes the quotas that are named and returns all of them. */
  putQuotas(quotas: Partial<Quotas>, organization?: string): Quotas
  /** A new API token (JWT) of the organization; default the first one. */
  issueToken(organization?: string): Promise<string>
  /** Ends an API token at once; false when it was not valid anyway. */
  revokeToken(token: string): Promise<boolean>
  /** Answers the next calls of an operation with one of its documented errors; without `organization` for the default one. */
  failNext(failure: ForcedFailure & { organization?: string }): void
}

/** Creates the controls over access. */
export function accessControls(deps: {
  organizations: Organizations
  tokens: Tokens
  failures: ForcedFailures
}): AccessControls {
  const { organizations, tokens, failures } = deps
  return {
    putOrganization: organizations.put,
    listOrganizations: () =>
      organizations.list().map(({ webhooks, ...organization }) => ({
        ...organization,
        webhooks: [...webhooks.values()].map(({ secret: _secret, ...webhook }) => webhook),
      })),
    putQuotas: organizations.putQuotas,
    issueToken: async (organization) => tokens.issue(organizations.get(organization).id),
    revokeToken: tokens.revoke,
    failNext: ({ organization, ...failure }) => failures.force(organizations.get(organization).id, failure),
  }
}

const text = z.string().min(1)

const TokenRequest = z.strictObject({ organization: text.optional() })

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

const QuotasRequest = z.partialRecord(z.enum(policyNames), z.int().nonnegative())

const FailureRequest = z.strictObject({ operation: text, code: text, times: z.int().positive().optional() })

/** The same over HTTP. */
export function accessControlRoutes(controls: AccessControls): Router {
  const router = Router()

  router.post('/tokens', async (req, res) => {
    const { organization } = validate(TokenRequest, req.body ?? {})
    res.json(success({ token: await controls.issueToken(organization) }))
  })

  router.post('/tokens/revoke', async (req, res) => {
    const { token } = validate(RevokeRequest, req.body)
    res.json(success({ revoked: await controls.revokeToken(token) }))
  })

  router.get('/organizations', (_req, res) => {
    res.json(success(controls.listOrganizations()))
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

  router.put('/organizations/:organization/quotas', (req, res) => {
    const quotas = compact(validate(QuotasRequest, req.body))
    res.json(success(controls.putQuotas(quotas, req.params.organization)))
  })

  router.post('/organizations/:organization/failures', (req, res) => {
    controls.failNext({ organization: req.params.organization, ...compact(validate(FailureRequest, req.body)) })
    res.json({ status: 'success' })
  })

  return router
}
