import { codedRefusal } from './errors.ts'
import { defaultQuotas, type Quotas } from './limits/policies.ts'
import type { OrganizationSettings, WebhookSettings } from './options.ts'

/** A customer of the service with everything decided. */
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
  /** Changes the quotas that are named; all of them as they are then. */
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

/** Makes the register of organizations. */
export function createOrganizations(initial: readonly OrganizationSettings[]): Organizations {
  const byId = new Map<string, Organization>()

  function put({ id, webhooks, ...settings }: OrganizationSettings): void {
    const kept = byId.get(id)?.webhooks ?? new Map<string, WebhookSettings>()
    const given = webhooks && new Map(webhooks.map((webhook) => [webhook.name, webhook]))
    const quotas = { ...defaultQuotas, ...(settings.quotas ?? byId.get(id)?.quotas) }
    byId.set(id, { ...defaults, ...settings, id, quotas, webhooks: given ?? kept })
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

  for (const settings of initial) put(settings)
  return {
    put,
    putWebhook: (settings, organization) => {
      get(organization).webhooks.set(settings.name, settings)
    },
    putQuotas: (quotas, organization) => Object.assign(get(organization).quotas, quotas),
    find: (id) => byId.get(id),
    get,
    list: () => [...byId.values()],
  }
}
