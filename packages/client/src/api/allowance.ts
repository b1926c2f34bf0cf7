import type { PolicyReading } from './read-rate-limits.ts'
import type { Priority } from './request.ts'

/** The known allowance of one policy; plain JSON, so that a store can share it among processes. */
export interface Allowance {
  quota: number
  windowMs: number
  /** Units left, as last reported by the service. */
  remaining: number
  /** Units reserved for requests in flight. */
  inFlight: number
  /** End of the window, when the whole quota is available again. Milliseconds since 1970. */
  resetsAtMs: number
  /** Earliest time of the next paced request. Milliseconds since 1970. */
  nextSlotAtMs: number
  /** Latest clock reading of a process that used this allowance. Milliseconds since 1970. */
  knownAtMs: number
  /** End of the service's refusal; the answer to a request in flight does not shorten it. Milliseconds since 1970. */
  refusedUntilMs?: number | undefined
}

/** Max clock difference of processes that share an allowance; beyond that, a clock was set back. Milliseconds. */
const clockToleranceMs = 30_000
/** Requests are spread over a short window once less than this share of its quota is left. */
const paceBelow: Record<Priority, number> = { normal: 0.25, background: 0.5 }
/** Longer windows are not paced: spreading a day's quota would delay a request for hours. */
const maxPacedWindowMs = 300_000
/** The share of a quota that background work leaves for other work. */
const headroomShare = 0.2
/** Retry interval for an empty long window without Retry-After, which may slide; a refused request costs nothing. Milliseconds. */
const maxHoldMs = 60_000

/** The value of an unknown quota, which never runs out and fits into JSON. */
const unknownQuota = Number.MAX_SAFE_INTEGER

/** Whether the units fit now, and how long to wait: before sending if they fit, else before checking again. */
export interface Room {
  fits: boolean
  waitMs: number
}

/** Shifts the allowance with a clock that was set back, so that waits do not grow. */
function adjustToClock(allowance: Allowance, nowMs: number): Allowance {
  const { knownAtMs, resetsAtMs, nextSlotAtMs, refusedUntilMs } = allowance
  const aheadMs = knownAtMs - nowMs
  if (aheadMs <= clockToleranceMs) return { ...allowance, knownAtMs: Math.max(knownAtMs, nowMs) }
  return {
    ...allowance,
    knownAtMs: nowMs,
    resetsAtMs: resetsAtMs - aheadMs,
    nextSlotAtMs: nextSlotAtMs - aheadMs,
    refusedUntilMs: refusedUntilMs && refusedUntilMs - aheadMs,
  }
}

/** The allowance as of now. After its window it is full again, with at least one unit, and units in flight belong to the old window. */
export function renew(stored: Allowance, nowMs: number): Allowance {
  const allowance = adjustToClock(stored, nowMs)
  if (nowMs < allowance.resetsAtMs) return allowance
  const { quota, windowMs } = allowance
  return { ...allowance, remaining: Math.max(quota, 1), inFlight: 0, resetsAtMs: nowMs + windowMs, nextSlotAtMs: nowMs }
}

/** Looks for room in a renewed allowance. A request above the quota needs all of it; the service then refuses it. */
export function roomFor(allowance: Allowance, units: number, priority: Priority, nowMs: number): Room {
  const { quota, remaining, inFlight, resetsAtMs } = allowance
  // Rounds a headroom below one unit to zero, so that background work progresses with any quota.
  const headroom = priority === 'background' ? Math.floor(quota * headroomShare) : 0
  const free = remaining - inFlight
  if (free - headroom < Math.min(units, Math.max(quota - headroom, 1)))
    return { fits: false, waitMs: Math.max(resetsAtMs - nowMs, 1) }
  const isPaced = allowance.windowMs <= maxPacedWindowMs && free < quota * paceBelow[priority]
  return { fits: true, waitMs: isPaced ? Math.max(allowance.nextSlotAtMs - nowMs, 0) : 0 }
}

/** Reserves `units` for a request that is sent at `sentAtMs`. */
export function reserve(allowance: Allowance, units: number, sentAtMs: number): Allowance {
  const free = Math.max(allowance.remaining - allowance.inFlight, 1)
  const spacingMs = Math.max(allowance.resetsAtMs - sentAtMs, 0) / free
  return { ...allowance, inFlight: allowance.inFlight + units, nextSlotAtMs: sentAtMs + spacingMs }
}

/** Returns the units of a request that was never sent. */
export function unreserve(allowance: Allowance, units: number): Allowance {
  return { ...allowance, inFlight: Math.max(allowance.inFlight - units, 0) }
}

/** The allowance after an answer. Missing parts are estimated; undefined while nothing is known. */
export function learn(
  allowance: Allowance | undefined,
  answer: { units: number; reading: PolicyReading | undefined; retryAfterMs: number | undefined },
  nowMs: number,
): Allowance | undefined {
  const { units, reading, retryAfterMs } = answer
  const knownQuota = allowance?.quota === unknownQuota ? undefined : allowance?.quota
  const quota = reading?.quota ?? knownQuota ?? reading?.remaining ?? allowance?.quota
  if (quota === undefined) return undefined
  const windowMs = reading?.windowMs ?? allowance?.windowMs ?? reading?.resetMs ?? 60_000
  const remaining = reading?.remaining ?? Math.max((allowance?.remaining ?? quota) - units, 0)
  const inFlight = Math.max((allowance?.inFlight ?? 0) - units, 0)
  const isEmpty = remaining < Math.max(units, 1)
  const refusedUntilMs = isEmpty && retryAfterMs !== undefined ? nowMs + retryAfterMs : allowance?.refusedUntilMs
  const isRefused = !isEmpty && refusedUntilMs !== undefined && nowMs < refusedUntilMs
  const windowEndsAtMs =
    reading?.resetMs === undefined
      ? (allowance?.resetsAtMs ?? nowMs + windowMs)
      : nowMs + Math.min(reading.resetMs, windowMs)
  const endsAtMs = isEmpty ? holdsUntilMs(allowance, windowEndsAtMs, retryAfterMs, nowMs) : windowEndsAtMs
  return {
    quota,
    windowMs,
    remaining: isRefused ? 0 : remaining,
    inFlight,
    resetsAtMs: isRefused ? refusedUntilMs : endsAtMs,
    nextSlotAtMs: allowance?.nextSlotAtMs ?? nowMs,
    knownAtMs: allowance?.knownAtMs ?? nowMs,
    refusedUntilMs,
  }
}

/** The allowance after a refusal without a policy: blocks all requests for `forMs`, then continues as before. */
export function hold(allowance: Allowance | undefined, units: number, forMs: number, nowMs: number): Allowance {
  const fresh = { quota: unknownQuota, windowMs: 60_000, nextSlotAtMs: nowMs, knownAtMs: nowMs, inFlight: 0 }
  const { inFlight, ...known } = allowance ?? fresh
  const untilMs = nowMs + forMs
  return {
    ...known,
    remaining: 0,
    inFlight: Math.max(inFlight - units, 0),
    resetsAtMs: untilMs,
    refusedUntilMs: untilMs,
  }
}

/** When to retry an empty allowance. Another answer of "nothing left" does not shorten the wait. */
function holdsUntilMs(
  before: Allowance | undefined,
  windowEndsAtMs: number,
  retryAfterMs: number | undefined,
  nowMs: number,
): number {
  if (retryAfterMs !== undefined) return nowMs + retryAfterMs
  const heldUntilMs = before !== undefined && before.remaining < 1 ? before.resetsAtMs : 0
  return Math.max(Math.min(windowEndsAtMs, nowMs + maxHoldMs), heldUntilMs)
}
