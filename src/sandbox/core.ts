import type { SandboxClock } from './clock.ts'
import type { SandboxOptions } from './options.ts'
import type { Organizations } from './organizations.ts'
import type { Random } from './random.ts'
import type { Schedule } from './schedule.ts'
import type { Store } from './store.ts'
import type { Emit } from './webhooks.ts'

/** What every kind of resource is run with. */
export interface Core {
  clock: SandboxClock
  random: Random
  schedule: Schedule
  store: Store
  organizations: Organizations
  emit: Emit
  detours: Required<NonNullable<SandboxOptions['detours']>>
}
