import type { PolicyReading } from './rate-limit-headers.ts'
import type { Priority } from './request.ts'

/** What is known about one policy's allowance; plain JSON, so that a store can share it among processes. */
export interface Allowance {
  quota: number
  windowMs: number
  /** Units left, as the service last said. */
  remaining: number
  /** Units reserved for requests that are on their way. */
  inFlight: number
  /** When the window ends and the whole quota is available again. Milliseconds since 1970. */
  resetsAtMs: number
  /** No request that has to slow down is sent before this. Milliseconds since 1970. */
  nextSlotAtMs: number
  /** The latest time at which a process used these times. Milliseconds since 1970. */
  knownAtMs: number
  /** Until when the service refused requests: an answer to one that was on its way does not end that. Milliseconds since 1970. */
  refusedUntilMs?: number | undefined
}

/** How far the clocks of processes that share an allowance may differ; beyond that, a clock was set back. Milliseconds. */
const clockToleranceMs = 30_000
/** Requests are spread over a short window once less than this share of its quota is left. */
const paceBelow: Record<Priority, number> = { normal: 0.25, background: 0.5 }
/** Longer windows are not paced: spreading a day's quota would hold a request for hours. */
const maxPacedWindowMs = 300_000
/** The share of a quota that background work leaves for other work. */
const headroomShare = 0.2
/** An empty long window without a Retry-After is tried again after this, since it may slide; a refused request costs nothing. */
const maxHoldMs = 60_000

/** Stands for a quota that no answer told of: it never runs out, and JSON can hold it. */
const unknownQuota = Number.MAX_SAFE_INTEGER

/** Whether `units` fit now, and how long to wait: before sending where they fit, before asking again where they do not. */
export interface Room {
  fits: boolean
  waitMs: number
}

/** The allowance moved along with a clock that was set back, so that nobody waits longer than before. */
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

/** The allowance as of now: whole again once its window has ended, and never so empty that nobody tries again. Units still on their way then belong to a window that is over. */
export function renew(stored: Allowance, nowMs: number): Allowance {
  const allowance = adjustToClock(stored, nowMs)
  if (nowMs < allowance.resetsAtMs) return allowance
  const { quota, windowMs } = allowance
  return { ...allowance, remaining: Math.max(quota, 1), inFlight: 0, resetsAtMs: nowMs + windowMs, nextSlotAtMs: nowMs }
}

/** Looks for room in a renewed allowance. More units than the quota need all of it: the service then refuses them. */
export function roomFor(allowance: Allowance, units: number, priority: Priority, nowMs: number): Room {
  const { quota, remaining, inFlight, resetsAtMs } = allowance
  // A share below one unit is none: background work must progress with any quota.
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

/** The allowance after an answer. What the answer does not say is estimated; undefined where nothing is known yet. */
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
  const isHeld = !isEmpty && refusedUntilMs !== undefined && nowMs < refusedUntilMs
  const windowEndsAtMs =
    reading?.resetMs === undefined
      ? (allowance?.resetsAtMs ?? nowMs + windowMs)
      : nowMs + Math.min(reading.resetMs, windowMs)
  const endsAtMs = isEmpty ? holdsUntilMs(allowance, windowEndsAtMs, retryAfterMs, nowMs) : windowEndsAtMs
  return {
    quota,
    windowMs,
    remaining: isHeld ? 0 : remaining,
    inFlight,
    resetsAtMs: isHeld ? refusedUntilMs : endsAtMs,
    nextSlotAtMs: allowance?.nextSlotAtMs ?? nowMs,
    knownAtMs: allowance?.knownAtMs ?? nowMs,
    refusedUntilMs,
  }
}

/** The allowance after a refusal that named no policy: nothing is sent for `forMs`, and then as before. */
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

/** Until when an empty allowance is not tried. A hold is not shortened by an answer that only says again that nothing is left. */
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
