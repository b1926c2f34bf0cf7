import type { Archive } from '../platform/archive.ts'
import { codedRefusal } from '../platform/refusal.ts'
import { defaultQuotas, type Quotas } from './limit-policies.ts'
import type { WebhookSettings } from '../webhooks/settings.ts'

/** A customer of the service. Its resources are invisible to all others. */
export interface OrganizationSettings {
  id: string
  /** Delegated (default): the service reviews and submits. Non-delegated: a PA passes through `awaiting_review`. */
  workflow?: 'delegated' | 'non_delegated'
  /** Non-delegated only: a PA waits in `awaiting_review` until `controls.review`. Default false: it is reviewed automatically after a while. */
  manualReview?: boolean
  /** Default true. False: every call is refused with `api_access_not_enabled` (specification, Authentication 5). */
  apiAccess?: boolean
  /** A pharmacy may ask for provider outreach. Default false. */
  pharmacy?: boolean
  /** PA creation is refused with `provider_not_authorized` until the provider has signed. Default false. */
  requiresProviderAuthorization?: boolean
  /** PAs that can be created within 24 hours of sandbox time. Default: no limit. */
  dailyPriorAuthLimit?: number
  /** Plans (rx_bin, payer_name and plan_name together) that PAs can name for the first time within 24 hours. Default: no limit. */
  dailyNewPlanLimit?: number
  /** Rate limits that differ from the default ones, in units per window (specification, Limits). */
  quotas?: Partial<Quotas>
  webhooks?: readonly WebhookSettings[]
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

export interface Organizations {
  put: (settings: OrganizationSettings) => void
  putWebhook: (settings: WebhookSettings, organization?: string) => void
  /** Whether there was one of that name. */
  removeWebhook: (name: string, organization?: string) => boolean
  /** Changes the named quotas and returns all of them. */
  putQuotas: (quotas: Partial<Quotas>, organization?: string) => Quotas
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

/** Creates the organizations, starting with the archived ones. */
export function createOrganizations(deps: {
  /** Added to the archived ones; replace those of the same id. If there are none at all, `org_demo` is created. */
  initial: readonly OrganizationSettings[]
  archive: Archive
}): Organizations {
  const { initial, archive } = deps
  const byId = new Map<string, Organization>()

  function put({ id, webhooks, ...settings }: OrganizationSettings): void {
    const kept = byId.get(id)?.webhooks ?? new Map<string, WebhookSettings>()
    const given = webhooks && new Map(webhooks.map((webhook) => [webhook.name, webhook]))
    const quotas = { ...defaultQuotas, ...(settings.quotas ?? byId.get(id)?.quotas) }
    const organization = { ...defaults, ...settings, id, quotas, webhooks: given ?? kept }
    byId.set(id, organization)
    save(organization)
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
    archive.put('organization', organization.id, { ...organization, webhooks: [...organization.webhooks.values()] })
  }

  for (const { value } of archive.list('organization')) put(settingsOf(value))
  for (const settings of initial) put(settings)
  if (byId.size === 0) put({ id: 'org_demo' })
  return {
    put,
    putWebhook: (settings, organization) => {
      const found = get(organization)
      found.webhooks.set(settings.name, settings)
      save(found)
    },
    removeWebhook: (name, organization) => {
      const found = get(organization)
      const isRemoved = found.webhooks.delete(name)
      save(found)
      return isRemoved
    },
    putQuotas: (quotas, organization) => {
      const found = get(organization)
      Object.assign(found.quotas, quotas)
      save(found)
      return found.quotas
    },
    find: (id) => byId.get(id),
    get,
    list: () => [...byId.values()],
  }
}

/** Reads what `save` wrote; JSON stores an infinite limit as null. */
function settingsOf(value: unknown): OrganizationSettings {
  // The compiler cannot see that only `save` writes organizations.
  const entries = Object.entries(value as object).filter(([, entry]) => entry !== null)
  return Object.fromEntries(entries) as unknown as OrganizationSettings
}
