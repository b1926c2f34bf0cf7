import type { Clock } from '../../clock.ts'
import { nameOf } from '../platform/operations.ts'
import { type MeasuredRequest, policies, type Policy, type Quotas } from './limit-policies.ts'

/** The state of one policy after a request. */
export interface Reading {
  policy: Policy
  quota: number
  remaining: number
  /** Seconds until the window ends, rounded up. */
  resetSeconds: number
}

export interface Admission {
  /** Every policy that applies. */
  readings(): Reading[]
  /** Seconds after which the request may fit; undefined when it was admitted. */
  retryAfterSeconds: number | undefined
  /** Refunds the units of policies that count only creations. */
  refund(): void
}

/** Counts requests against the policies (specification, Limits). */
export interface RateLimits {
  /** Counts the request under every applicable policy, or under none of them when it exceeds one. */
  admit(organization: { id: string; quotas: Quotas }, request: MeasuredRequest): Admission
}

interface Window {
  endsAt: number
  used: number
}

/**
 * Creates the limits of all organizations. Windows are fixed: one starts with its first request and ends as a whole. It is measured on the wall
 * clock at any speed: a client reads `t` and `Retry-After` on its own clock, and a day that ends within a second would limit nothing.
 */
export function createRateLimits(deps: { clock: Clock }): RateLimits {
  const windows = new Map<string, Window>()

  function windowOf(key: string, policy: Policy): Window {
    const now = deps.clock.now()
    const current = windows.get(key)
    if (current !== undefined && now < current.endsAt) return current
    const fresh = { endsAt: now + policy.windowSeconds * 1000, used: 0 }
    windows.set(key, fresh)
    return fresh
  }

  return {
    admit: ({ id, quotas }, request) => {
      const counted = policies.flatMap((policy) => {
        const units = policy.unitsOf(request)
        if (units === 0) return []
        const place = policy.partition === 'endpoint' ? nameOf(request.operation) : ''
        const quota = quotas[policy.name]
        return [{ policy, units, quota, window: windowOf(`${id}/${policy.name}/${place}`, policy) }]
      })
      const secondsLeft = ({ endsAt }: Window) => Math.max(1, Math.ceil((endsAt - deps.clock.now()) / 1000))
      const spent = counted.filter(({ units, quota, window }) => window.used + units > quota)
      const isAdmitted = spent.length === 0
      if (isAdmitted) for (const { units, window } of counted) window.used += units
      return {
        readings: () =>
          counted.map(({ policy, quota, window }) => ({
            policy,
            quota,
            remaining: Math.max(0, quota - window.used),
            resetSeconds: secondsLeft(window),
          })),
        retryAfterSeconds: isAdmitted ? undefined : Math.max(...spent.map(({ window }) => secondsLeft(window))),
        refund: () => {
          if (!isAdmitted) return
          for (const { policy, units, window } of counted) if (policy.countsOnlyCreated) window.used -= units
        },
      }
    },
  }
}
