import type { Archive } from '../platform/archive.ts'
import type { Part } from '../platform/part.ts'
import { codedRefusal } from '../platform/refusal.ts'
import { defaultQuotas, type Quotas } from './limit-policies.ts'
import { type WebhookChange, type WebhookSettings, withSecret } from '../webhooks/settings.ts'

/** A customer of the service. Other organizations cannot see its resources. */
export interface OrganizationSettings {
  id: string
  /** Delegated (default): the service reviews and submits. Non-delegated: a PA passes through `awaiting_review`. */
  workflow?: 'delegated' | 'non_delegated'
  /** Non-delegated only: a PA waits in `awaiting_review` until `controls.review`. Default false: reviewed automatically after a while. */
  manualReview?: boolean
  /** Default true. False: every call is refused with `api_access_not_enabled` (specification, Authentication 5). */
  apiAccess?: boolean
  /** A pharmacy may ask for provider outreach. Default false. */
  pharmacy?: boolean
  /** PA creation is refused with `provider_not_authorized` until the provider has signed. Default false. */
  requiresProviderAuthorization?: boolean
  /** Max PAs created within 24 hours of sandbox time. Default: no limit. */
  dailyPriorAuthLimit?: number
  /** Max plans (by rx_bin, payer_name and plan_name) that PAs name for the first time within 24 hours. Default: no limit. */
  dailyNewPlanLimit?: number
  /** Overrides of the default rate limits, in units per window (specification, Limits). */
  quotas?: Partial<Quotas>
  webhooks?: readonly WebhookSettings[]
}

/** Settings of an organization. Existing webhooks may omit their secrets. */
export type OrganizationChange = Partial<Omit<OrganizationSettings, 'id' | 'webhooks'>> & {
  webhooks?: readonly WebhookChange[]
}

/** An organization with all defaults filled in. */
export interface Organization {
  id: string
  workflow: 'delegated' | 'non_delegated'
  manualReview: boolean
  apiAccess: boolean
  pharmacy: boolean
  requiresProviderAuthorization: boolean
  /** Infinity: no limit. */
  dailyPriorAuthLimit: number
  dailyNewPlanLimit: number
  quotas: Quotas
  webhooks: Map<string, WebhookSettings>
}

export interface Organizations extends Part<unknown[]> {
  /** Adds or replaces; omitted settings take their defaults, except that webhooks and quotas stay. */
  put: (settings: OrganizationChange & { id: string }) => Organization
  /** Changes the given settings and quotas; `webhooks` replaces the whole list. Throws `Refusal` 404. */
  patch: (id: string, changes: OrganizationChange) => Organization
  /** Throws `Refusal` 422 for a new webhook without a secret. */
  putWebhook: (settings: WebhookChange, organization?: string) => WebhookSettings
  /** The webhook of that name; throws `Refusal` 404 that names the existing ones. */
  webhook: (name: string, organization?: string) => WebhookSettings
  /** False if there was none of that name. */
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
  /** Added to the archived ones; replace those of the same id. Without any organization, `org_demo` is created. */
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
    save: () => [...byId.values()].map(saved),
    restore: (organizations) => {
      for (const id of byId.keys()) archive.remove('organization', id)
      byId.clear()
      for (const organization of organizations) put(settingsOf(organization))
    },
  }
}

const saved = (organization: Organization) => ({ ...organization, webhooks: [...organization.webhooks.values()] })

/** Reads the format of `saved`; JSON stores an infinite limit as null. */
function settingsOf(value: unknown): OrganizationSettings {
  // The compiler cannot see that only `saved` makes these.
  const entries = Object.entries(value as object).filter(([, entry]) => entry !== null)
  return Object.fromEntries(entries) as unknown as OrganizationSettings
}
