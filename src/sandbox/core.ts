import type { Organizations } from './access/organizations.ts'
import type { SandboxOptions } from './options.ts'
import type { SandboxClock } from './platform/clock.ts'
import type { Observe } from './platform/observe.ts'
import type { Random } from './platform/random.ts'
import type { Schedule } from './platform/schedule.ts'
import type { Store } from './platform/store.ts'
import type { Emit } from './webhooks/webhooks.ts'

/** What every noun is built on. */
export interface Core {
  clock: SandboxClock
  random: Random
  schedule: Schedule
  store: Store
  organizations: Organizations
  emit: Emit
  observe: Observe
  detours: Required<NonNullable<SandboxOptions['detours']>>
}
