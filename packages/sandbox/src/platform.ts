import type { Organizations } from './access/organizations.ts'
import type { Files } from './files/served-file.ts'
import type { SandboxClock } from './platform/sandbox-clock.ts'
import type { Observe } from './platform/observe.ts'
import type { Random } from './platform/random.ts'
import type { Schedule } from './platform/schedule.ts'
import type { Store } from './platform/store.ts'
import type { Emit } from './webhooks/webhooks.ts'

/** Chance, 0 to 1, that a PA or its transfer takes a detour on its way. */
export interface Detours {
  awaitingProviderResponse: number
  validatingOutcome: number
  /** The transfer waits for the prescriber. */
  transferAwaitingProvider: number
  /** The transfer is attempted a second time. */
  transferRetry: number
  /** The transfer ends in an error; not where `mock_result` decides. */
  transferError: number
}

export const usualDetours: Detours = {
  awaitingProviderResponse: 0.1,
  validatingOutcome: 0.15,
  transferAwaitingProvider: 0.1,
  transferRetry: 0.1,
  transferError: 0.1,
}

/** PAs and transfers take the direct path. */
export const noDetours: Detours = {
  awaitingProviderResponse: 0,
  validatingOutcome: 0,
  transferAwaitingProvider: 0,
  transferRetry: 0,
  transferError: 0,
}

/** Dependencies shared by every kind of resource. */
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
