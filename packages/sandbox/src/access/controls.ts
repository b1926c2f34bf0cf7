import { documentedErrors } from 'pawl-client/schemas/documented-errors'
import { z } from 'zod'
import { control, type Control } from '../platform/control.ts'
import { validationRefusal } from '../platform/refusal.ts'
import { nameOf, operations } from '../platform/operations.ts'
import { fromWire } from '../platform/wire.ts'
import { type ShownWebhook, shownWebhook } from '../webhooks/settings.ts'
import type { ForcedFailure, ForcedFailures } from './forced-failures.ts'
import type { Quotas } from './limit-policies.ts'
import { type OrganizationChange, OrganizationRequest, QuotasRequest } from './organization-request.ts'
import type { Organization, Organizations } from './organizations.ts'
import type { RateLimits, RateWindow } from './rate-limits.ts'
import type { Tokens } from './tokens.ts'

/** An organization as controls show it: webhooks without secrets. */
export type ShownOrganization = Omit<Organization, 'webhooks'> & { webhooks: ShownWebhook[] }

/** Controls over organizations, their tokens and quotas, and planned failures. `organization` defaults to the first one. */
export interface AccessControls {
  /** Lists all organizations, the default one first. */
  listOrganizations(): ShownOrganization[]
  readOrganization(id?: string): ShownOrganization
  /** Adds or replaces an organization. Omitted settings take their defaults; omitted webhooks and quotas stay. */
  putOrganization(settings: OrganizationChange & { id: string }): ShownOrganization
  /** Changes the given settings; `webhooks` replaces the whole list. */
  patchOrganization(id: string, changes: OrganizationChange): ShownOrganization
  readQuotas(organization?: string): Quotas
  /** Sets the given quotas, and the others to their defaults; returns all. */
  putQuotas(quotas: Partial<Quotas>, organization?: string): Quotas
  /** Changes the given quotas; returns all. */
  patchQuotas(quotas: Partial<Quotas>, organization?: string): Quotas
  /** Open rate-limit windows. */
  readRateWindows(organization?: string): RateWindow[]
  /** Ends every rate-limit window, which restores the quotas; returns their number. */
  resetRateWindows(organization?: string): number
  /** Issues an API token (JWT). */
  issueToken(organization?: string): Promise<string>
  /** Revokes an API token; false if it was not valid. */
  revokeToken(token: string): Promise<boolean>
  /** Makes the next calls of an operation fail with one of its documented errors, after failures already planned for it. */
  failNext(failure: ForcedFailure & { organization?: string }): void
  /** Planned failures, in order within each operation. */
  listFailures(organization?: string): ForcedFailure[]
  /** Replaces all planned failures. */
  putFailures(failures: readonly ForcedFailure[], organization?: string): ForcedFailure[]
  /** Clears the planned failures of an operation, or all; returns the number of calls that would have failed. */
  clearFailures(filter?: { operation?: string; organization?: string }): number
}

export function accessControls(deps: {
  organizations: Organizations
  tokens: Tokens
  failures: ForcedFailures
  limits: RateLimits
}): AccessControls {
  const { organizations, tokens, failures, limits } = deps
  const idOf = (organization?: string) => organizations.get(organization).id
  return {
    listOrganizations: () => organizations.list().map(shown),
    readOrganization: (id) => shown(organizations.get(id)),
    putOrganization: (settings) => shown(organizations.put(settings)),
    patchOrganization: (id, changes) => shown(organizations.patch(id, changes)),
    readQuotas: (organization) => organizations.get(organization).quotas,
    putQuotas: organizations.putQuotas,
    patchQuotas: organizations.patchQuotas,
    readRateWindows: (organization) => limits.list(idOf(organization)),
    resetRateWindows: (organization) => limits.reset(idOf(organization)),
    issueToken: async (organization) => tokens.issue(idOf(organization)),
    revokeToken: tokens.revoke,
    failNext: ({ organization, ...failure }) => failures.add(idOf(organization), [failure]),
    listFailures: (organization) => failures.list(idOf(organization)),
    putFailures: (listed, organization) => {
      const id = idOf(organization)
      const before = failures.list(id)
      failures.clear(id)
      try {
        failures.add(id, listed)
      } catch (error) {
        failures.add(id, before)
        throw error
      }
      return failures.list(id)
    },
    clearFailures: ({ operation, organization } = {}) => failures.clear(idOf(organization), operation),
  }
}

function shown({ webhooks, ...organization }: Organization): ShownOrganization {
  return { ...organization, webhooks: [...webhooks.values()].map(shownWebhook) }
}

const text = z.string().min(1)

const TokenRequest = z.strictObject({ organization: text.optional() })

const RevokeRequest = z.strictObject({ token: text })

const FailureRequest = z.strictObject({
  operation: text.meta({ examples: operations.map(nameOf) }),
  code: text.meta({ examples: [...Object.keys(documentedErrors), 'rate_limit_exceeded'] }),
  times: z.int().positive().optional(),
  retry_after_seconds: z.int().positive().optional(),
})

const ClearRequest = z.strictObject({ operation: text.optional() })

/** The settings of a body. Its id, if any, must equal the path's. */
function settingsFor(
  id: string,
  { id: named = id, ...settings }: z.infer<typeof OrganizationRequest>,
): OrganizationChange {
  if (named === id) return fromWire(settings)
  throw validationRefusal([{ loc: ['body', 'id'], msg: `must be ${id}, as in the path`, type: 'value_error' }])
}

const ofOrganization = '/organizations/:organization'

export const accessControlRoutes = (controls: AccessControls): Control[] => [
  control(
    'POST /tokens',
    { summary: 'Issue an API token', body: TokenRequest, isBodyOptional: true },
    async ({ body }) => ({ token: await controls.issueToken(body.organization) }),
  ),
  control('POST /tokens/revoke', { summary: 'Revoke an API token', body: RevokeRequest }, async ({ body }) => ({
    revoked: await controls.revokeToken(body.token),
  })),
  control('GET /organizations', { summary: 'List organizations, without secrets' }, () => controls.listOrganizations()),
  control(`GET ${ofOrganization}`, { summary: 'Show an organization' }, ({ organization }) =>
    controls.readOrganization(organization),
  ),
  control(
    `PUT ${ofOrganization}`,
    {
      summary: 'Add or replace an organization; webhooks and quotas stay unless given',
      body: OrganizationRequest,
      isBodyOptional: true,
    },
    ({ organization: id, body }) => controls.putOrganization({ ...settingsFor(id, body), id }),
  ),
  control(
    `PATCH ${ofOrganization}`,
    { summary: 'Change settings of an organization', body: OrganizationRequest, isBodyOptional: true },
    ({ organization: id, body }) => controls.patchOrganization(id, settingsFor(id, body)),
  ),
  control(`GET ${ofOrganization}/quotas`, { summary: 'Show the quotas' }, ({ organization }) =>
    controls.readQuotas(organization),
  ),
  control(
    `PUT ${ofOrganization}/quotas`,
    { summary: 'Set quotas, the others to their defaults', body: QuotasRequest },
    ({ organization, body }) => controls.putQuotas(fromWire(body), organization),
  ),
  control(
    `PATCH ${ofOrganization}/quotas`,
    { summary: 'Change quotas', body: QuotasRequest },
    ({ organization, body }) => controls.patchQuotas(fromWire(body), organization),
  ),
  control(`GET ${ofOrganization}/rate-windows`, { summary: 'List the open rate-limit windows' }, ({ organization }) =>
    controls.readRateWindows(organization),
  ),
  control(`DELETE ${ofOrganization}/rate-windows`, { summary: 'End every rate-limit window' }, ({ organization }) => ({
    reset: controls.resetRateWindows(organization),
  })),
  control(`GET ${ofOrganization}/failures`, { summary: 'List the planned failures' }, ({ organization }) =>
    controls.listFailures(organization),
  ),
  control(
    `POST ${ofOrganization}/failures`,
    { summary: 'Plan a failure', body: FailureRequest },
    ({ organization, body }) => {
      controls.failNext({ organization, ...fromWire(body) })
      return controls.listFailures(organization)
    },
  ),
  control(
    `PUT ${ofOrganization}/failures`,
    { summary: 'Replace the planned failures', body: z.array(FailureRequest) },
    ({ organization, body }) => controls.putFailures(fromWire(body), organization),
  ),
  control(
    `DELETE ${ofOrganization}/failures`,
    { summary: 'Clear planned failures', query: ClearRequest },
    ({ organization, query }) => ({
      cleared: controls.clearFailures({ ...fromWire(query), organization }),
    }),
  ),
]
