import type { Organizations } from './access/organizations.ts'
import type { Files } from './files/held-file.ts'
import type { SandboxClock } from './platform/clock.ts'
import type { Observe } from './platform/observe.ts'
import type { Random } from './platform/random.ts'
import type { Schedule } from './platform/schedule.ts'
import type { Store } from './platform/store.ts'
import type { Emit } from './webhooks/webhooks.ts'

/** Chance, 0 to 1, that a PA takes a detour on its way. */
export interface Detours {
  awaitingProviderResponse: number
  validatingOutcome: number
}

/** What every kind of resource is built on. */
export interface Platform {
  clock: SandboxClock
  random: Random
  schedule: Schedule
  store: Store
  files: Pick<Files, 'keep' | 'keepAs'>
  organizations: Organizations
  emit: Emit
  observe: Observe
  detours: Detours
}
