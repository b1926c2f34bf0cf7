import type { Chaos, ChaosDial, ChaosPreset, ChaosSettings } from '../chaos/settings.ts'
import type { SandboxClock } from './clock.ts'
import type { Quotas } from '../access/limit-policies.ts'
import type { WebhookSettings } from '../options.ts'
import type { Organization, Organizations } from '../access/organizations.ts'
import type { Schedule } from './schedule.ts'

/** Sandbox time, and how fast it runs. */
export interface ClockReading {
  /** ISO 8601. */
  now: string
  speed: number
  /** When the next transition is due; null when nothing is scheduled. */
  next: string | null
}

/** The strings that hold the platform rather than a resource. */
export interface PlatformControls {
  /** Changes the quotas that are named; all of them as they are then. */
  putQuotas(quotas: Partial<Quotas>, organization?: string): Quotas
  /** Changes what goes wrong how often, all of it: what is not named never does. */
  setChaos(settings: ChaosSettings | ChaosPreset): Chaos
  readChaos(): Chaos
  readClock(): ClockReading
  /** Sets the speed, then moves sandbox time on by `advanceMs` and runs on the way whatever is due. */
  setClock(change: { speed?: number; advanceMs?: number }): ClockReading
  /** Every organization as it is, the default one first; webhooks without their secrets. */
  listOrganizations(): (Omit<Organization, 'webhooks'> & { webhooks: Omit<WebhookSettings, 'secret'>[] })[]
  /** Whether there was one of that name. What is pending for it is given up in time. */
  removeWebhook(name: string, organization?: string): boolean
}

/** Makes the controls over organizations, chaos and clock. */
export function createPlatformControls(deps: {
  organizations: Organizations
  chaos: ChaosDial
  clock: SandboxClock
  schedule: Schedule
}): PlatformControls {
  const { organizations, chaos, clock, schedule } = deps

  function readClock(): ClockReading {
    const next = schedule.next()
    return { now: clock.iso(), speed: clock.speed(), next: next === undefined ? null : new Date(next).toISOString() }
  }

  return {
    putQuotas: organizations.putQuotas,
    setChaos: chaos.set,
    readChaos: chaos.read,
    readClock,
    setClock: ({ speed, advanceMs = 0 }) => {
      if (speed !== undefined) clock.setSpeed(speed)
      schedule.advance(advanceMs)
      return readClock()
    },
    listOrganizations: () =>
      organizations.list().map(({ webhooks, ...organization }) => ({
        ...organization,
        webhooks: [...webhooks.values()].map(({ secret: _secret, ...webhook }) => webhook),
      })),
    removeWebhook: organizations.removeWebhook,
  }
}
