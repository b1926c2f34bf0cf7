import type { Archive } from '../platform/archive.ts'
import { codedRefusal } from '../platform/refusal.ts'
import { defaultQuotas, type Quotas } from './limit-policies.ts'
import type { OrganizationChange, OrganizationSettings } from './organization-request.ts'
import { type WebhookChange, type WebhookSettings, withSecret } from '../webhooks/settings.ts'

/** An organization with all defaults filled in. */
export interface Organization extends Required<Omit<OrganizationChange, 'quotas' | 'webhooks'>> {
  id: string
  quotas: Quotas
  webhooks: Map<string, WebhookSettings>
}

export interface Organizations {
  /** Adds or replaces. Omitted settings take their defaults; omitted webhooks and quotas stay. */
  put: (settings: OrganizationChange & { id: string }) => Organization
  /** Changes the given settings and quotas; `webhooks` replaces the whole list. Throws `Refusal` 404. */
  patch: (id: string, changes: OrganizationChange) => Organization
  /** Throws `Refusal` 422 for a new webhook without a secret. */
  putWebhook: (settings: WebhookChange, organization?: string) => WebhookSettings
  /** The webhook of that name; throws `Refusal` 404 that names the existing ones. */
  webhook: (name: string, organization?: string) => WebhookSettings
  /** False if no webhook has that name. */
  removeWebhook: (name: string, organization?: string) => boolean
  /** Sets the given quotas, and the others to their defaults. */
  putQuotas: (quotas: Partial<Quotas>, organization?: string) => Quotas
  /** Changes the given quotas; returns all. */
  patchQuotas: (quotas: Partial<Quotas>, organization?: string) => Quotas
  find(id: string): Organization | undefined
  /** The organization, default the first; throws `Refusal` 404. */
  get(id?: string): Organization
  list(): Organization[]
}

const defaults = {
  workflow: 'delegated',
  manualReview: false,
  apiAccess: true,
  pharmacy: false,
  requiresProviderAuthorization: false,
  dailyPriorAuthLimit: Infinity,
  dailyNewPlanLimit: Infinity,
} as const

/** Starts with the archived organizations. */
export function createOrganizations(deps: {
  /** Added to the archived ones; they replace those of the same id. Without any organization, `org_demo` is created. */
  initial: readonly OrganizationSettings[]
  archive: Archive
}): Organizations {
  const { initial, archive } = deps
  const byId = new Map<string, Organization>()

  function put({ id, webhooks, ...settings }: OrganizationChange & { id: string }): Organization {
    const kept = byId.get(id)?.webhooks ?? new Map<string, WebhookSettings>()
    const given = webhooks?.map((webhook, index) => withSecret(webhook, kept, ['webhooks', String(index)]))
    const quotas = { ...defaultQuotas, ...(settings.quotas ?? byId.get(id)?.quotas) }
    const byName = given && new Map(given.map((webhook) => [webhook.name, webhook]))
    const organization = { ...defaults, ...settings, id, quotas, webhooks: byName ?? kept }
    byId.set(id, organization)
    save(organization)
    return organization
  }

  function setQuotas(quotas: Partial<Quotas>, organization?: string): Quotas {
    const found = get(organization)
    Object.assign(found.quotas, quotas)
    save(found)
    return found.quotas
  }

  function get(id?: string): Organization {
    const organization = id === undefined ? byId.values().next().value : byId.get(id)
    if (organization === undefined)
      throw codedRefusal(404, {
        title: 'Unknown organization',
        description: `Use one of: ${[...byId.keys()].join(', ')}.`,
        code: 'unknown_organization',
      })
    return organization
  }

  function save(organization: Organization): void {
    archive.put('organization', organization.id, saved(organization))
  }

  for (const { value } of archive.list('organization')) put(settingsOf(value))
  for (const settings of initial) put(settings)
  if (byId.size === 0) put({ id: 'org_demo' })
  return {
    put,
    patch: (id, changes) => {
      const { webhooks: _kept, ...settings } = get(id)
      return put({ ...settings, ...changes, id, quotas: { ...settings.quotas, ...changes.quotas } })
    },
    putWebhook: (settings, organization) => {
      const found = get(organization)
      const webhook = withSecret(settings, found.webhooks)
      found.webhooks.set(webhook.name, webhook)
      save(found)
      return webhook
    },
    webhook: (name, organization) => {
      const { webhooks } = get(organization)
      const webhook = webhooks.get(name)
      if (webhook !== undefined) return webhook
      throw codedRefusal(404, {
        title: 'Unknown webhook',
        description: `There is no webhook ${name}; there are: ${[...webhooks.keys()].join(', ') || 'none'}.`,
        code: 'unknown_webhook',
      })
    },
    removeWebhook: (name, organization) => {
      const found = get(organization)
      const isRemoved = found.webhooks.delete(name)
      save(found)
      return isRemoved
    },
    putQuotas: (quotas, organization) => setQuotas({ ...defaultQuotas, ...quotas }, organization),
    patchQuotas: setQuotas,
    find: (id) => byId.get(id),
    get,
    list: () => [...byId.values()],
  }
}

const saved = (organization: Organization) => ({ ...organization, webhooks: [...organization.webhooks.values()] })

/** Reads the format of `saved`: JSON stores an infinite limit as null. */
function settingsOf(value: unknown): OrganizationSettings {
  // The compiler cannot see that only `saved` makes these.
  const entries = Object.entries(value as object).filter(([, entry]) => entry !== null)
  return Object.fromEntries(entries) as unknown as OrganizationSettings
}
