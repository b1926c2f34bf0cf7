import type { Clock } from '@pawl/base/clock'
import type { OrganizationSettings } from './access/organization-request.ts'
import type { ChaosPreset, ChaosSettings } from './platform/chaos-settings.ts'
import type { Observe } from './platform/observe.ts'
import type { Detours } from './platform.ts'
import type { DeliverySettings } from './webhooks/settings.ts'

/** Options of a sandbox. */
export interface SandboxOptions {
  /** Sandbox time per wall time. 1 (default): realistic hours and days. 100,000: a day in about a second. 0: time moves only through controls. */
  speed?: number
  /** The same seed and requests give the same ids, delays and outcomes. Default: random, so ids do not repeat. */
  seed?: number
  /** Up to eight lower-case letters and digits that end the id of every resource and item. Two sandboxes with one seed and tags of one length differ in their ids alone. Default: none. */
  idTag?: string
  /** Wall clock behind the sandbox clock. Default: the system's. */
  clock?: Clock
  /** Default: one delegated organization, `org_demo`. Methods that take an organization default to the first. */
  organizations?: readonly OrganizationSettings[]
  /** `key` signs API tokens. Default: random, so tokens end with the sandbox. */
  tokens?: { key?: string }
  webhooks?: DeliverySettings
  /** Chance, 0 to 1, that a PA or its transfer takes a detour on its way. Default: `usualDetours`. */
  detours?: Partial<Detours>
  /** SQLite file that keeps all state across restarts, created if missing. Default: memory only. */
  data?: string
  /** Allows `file_url` to point at private, loopback and link-local addresses. Default false. */
  allowPrivateFileUrls?: boolean
  /** Limits on fetching a `file_url`, in wall-clock time. Defaults: 20 MiB, 10,000 ms. */
  files?: { maxBytes?: number; timeoutMs?: number }
  /** Chances of faults in deliveries and answers. Default: those archived in `data`, else none. */
  chaos?: ChaosSettings | ChaosPreset
  /** Called for every request, refusal, transition and delivery attempt. */
  observe?: Observe
  /** Host names besides loopback under which browsers may reach the controls and pages. */
  hostNames?: readonly string[]
  /** Used for webhook deliveries. Default: the global fetch. */
  fetch?: typeof fetch
}
