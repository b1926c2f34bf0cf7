import type { Clock } from '@pawl/base/clock'
import { nameOf } from '../platform/operations.ts'
import { type MeasuredRequest, policies, type Policy, type Quotas } from './limit-policies.ts'
import type { PolicyName } from 'pawl-client/schemas/rate-policies'

/** The state of one policy after a request. */
export interface Reading {
  policy: Policy
  quota: number
  remaining: number
  /** Seconds until the window ends, rounded up. */
  resetSeconds: number
}

export interface Admission {
  /** Readings of all applicable policies. */
  readings(): Reading[]
  /** Seconds until the request may fit; undefined if it was admitted. */
  retryAfterSeconds: number | undefined
  /** Refunds the units of policies that count only creations. */
  refund(): void
}

/** Counts requests against the policies (specification, Limits). */
export interface RateLimits {
  /** Counts the request under every applicable policy, or under none if it exceeds one. */
  admit(organization: { id: string; quotas: Quotas }, request: MeasuredRequest): Admission
  /** Open windows of an organization. */
  list(organization: string): RateWindow[]
  /** Ends every window of an organization, which restores its quotas; returns their number. */
  reset(organization: string): number
}

/** An open window. */
export interface RateWindow {
  policy: PolicyName
  /** Such as `POST /prior-authorization`, for a policy per endpoint. */
  operation: string | null
  used: number
  /** Wall-clock time, ISO 8601. */
  endsAt: string
}

interface Window {
  organization: string
  policy: PolicyName
  operation: string | null
  endsAt: number
  used: number
}

/** Limits of all organizations. Windows are fixed: each starts with its first request. They run on the wall clock at any speed, because clients read `t` and `Retry-After` on their own clocks, and a day that ends within a second would limit nothing. */
export function createRateLimits(deps: { clock: Clock }): RateLimits {
  const windows = new Map<string, Window>()

  function windowOf(organization: string, policy: Policy, operation: string | null): Window {
    const key = `${organization}/${policy.name}/${operation ?? ''}`
    const now = deps.clock.now()
    const current = windows.get(key)
    if (current !== undefined && now < current.endsAt) return current
    const fresh = { organization, policy: policy.name, operation, endsAt: now + policy.windowSeconds * 1000, used: 0 }
    windows.set(key, fresh)
    return fresh
  }

  const openOf = (organization: string) =>
    [...windows].filter(([, window]) => window.organization === organization && deps.clock.now() < window.endsAt)

  return {
    list: (organization) =>
      openOf(organization).map(([, { policy, operation, used, endsAt }]) => ({
        policy,
        operation,
        used,
        endsAt: new Date(endsAt).toISOString(),
      })),
    reset: (organization) => {
      const open = openOf(organization)
      for (const [key] of open) windows.delete(key)
      return open.length
    },
    admit: ({ id, quotas }, request) => {
      const counted = policies.flatMap((policy) => {
        const units = policy.unitsOf(request)
        if (units === 0) return []
        const operation = policy.partition === 'endpoint' ? nameOf(request.operation) : null
        return [{ policy, units, quota: quotas[policy.name], window: windowOf(id, policy, operation) }]
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
