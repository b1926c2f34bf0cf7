import type { Clock } from '../base/clock.ts'
import type { OrganizationSettings } from './access/organizations.ts'
import type { ChaosPreset, ChaosSettings } from './platform/chaos-settings.ts'
import type { Observe } from './platform/observe.ts'
import type { Detours } from './platform.ts'
import type { DeliverySettings } from './webhooks/settings.ts'

/** Everything a sandbox can be created with; all of it is optional. */
export interface SandboxOptions {
  /** Sandbox time per wall time. 1 (default) takes realistic hours and days, 100,000 runs a day in about a second, 0 stands still and moves only through controls. */
  speed?: number
  /** The same seed and the same requests give the same ids, delays and outcomes. Default: a new one each time, so that ids do not repeat. */
  seed?: number
  /** Wall clock that the sandbox clock is derived from. Default the system's. */
  clock?: Clock
  /** Default: one delegated organization, `org_demo`. The first is the default of every method that takes an organization. */
  organizations?: readonly OrganizationSettings[]
  /** `key` signs API tokens; default random, so that tokens end with the sandbox. */
  tokens?: { key?: string }
  webhooks?: DeliverySettings
  /** Chance, 0 to 1, that a PA or its transfer takes a detour on its way. Default: `usualDetours`. */
  detours?: Partial<Detours>
  /** SQLite file that keeps everything across restarts, created when missing. Default: memory only. */
  data?: string
  /** Allows `file_url` to point at private, loopback and link-local addresses. Default false. */
  allowPrivateFileUrls?: boolean
  /** How a `file_url` is fetched, in wall-clock time. Defaults: 20 MiB, 10,000 ms. */
  files?: { maxBytes?: number; timeoutMs?: number }
  /** Chances of faults in deliveries and answers. Default: the settings kept in `data`, else none. */
  chaos?: ChaosSettings | ChaosPreset
  /** Is told of every request, refusal, transition and attempt to deliver. Default: nobody is. */
  observe?: Observe
  /** Names besides those of loopback under which browsers may reach the controls and pages. */
  hostNames?: readonly string[]
  /** Used for webhook deliveries. Default the global one. */
  fetch?: typeof fetch
}
