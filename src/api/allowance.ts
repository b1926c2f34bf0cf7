import type { PolicyReading } from './rate-limit-headers.ts'
import type { Priority } from './request.ts'

/** What is known of one policy's allowance; plain JSON, so that a store may share it among processes. */
export interface Allowance {
  quota: number
  windowMs: number
  /** Units that the service last said are left. */
  remaining: number
  /** Units set aside for calls that are on their way. */
  inFlight: number
  /** When the window ends and the quota is whole again. Milliseconds since 1970. */
  resetsAtMs: number
  /** Before this no call goes out that has to slow down. Milliseconds since 1970. */
  nextSlotAtMs: number
  /** The latest time at which anybody went by these times. Milliseconds since 1970. */
  knownAtMs: number
}

/** Processes that share an allowance may disagree by so much about the time; where it is more, a clock was set back. Milliseconds. */
const clockToleranceMs = 30_000
/** A minute policy is spread over its window once less than this share of it is left. */
const paceBelow: Record<Priority, number> = { normal: 0.25, background: 0.5 }
/** Longer windows only stop at their end: spreading a day's quota would hold a call for hours. */
const longestPacedWindowMs = 300_000
/** The share of a quota that background work leaves to the rest. */
const reserveShare = 0.2
/** An empty long window without a Retry-After is asked again after this, since it may slide; a refused request uses up nothing. */
const longestHoldMs = 60_000

/** Whether `units` fit now, and how long to wait: before sending where they fit, before asking again where they do not. */
export interface Room {
  fits: boolean
  waitMs: number
}

/** The same allowance by the clock as it is now: one that was set back makes nobody wait for longer than before. */
function inPresentTime(allowance: Allowance, nowMs: number): Allowance {
  const { knownAtMs, resetsAtMs, nextSlotAtMs } = allowance
  const aheadMs = knownAtMs - nowMs
  if (aheadMs <= clockToleranceMs) return { ...allowance, knownAtMs: Math.max(knownAtMs, nowMs) }
  return {
    ...allowance,
    knownAtMs: nowMs,
    resetsAtMs: resetsAtMs - aheadMs,
    nextSlotAtMs: nextSlotAtMs - aheadMs,
  }
}

/** The allowance as it stands now: whole again once its window has ended, and never so empty that nobody asks again. Units still on their way then belong to a window that is gone. */
export function renewed(stored: Allowance, nowMs: number): Allowance {
  const allowance = inPresentTime(stored, nowMs)
  if (nowMs < allowance.resetsAtMs) return allowance
  const { quota, windowMs } = allowance
  return { ...allowance, remaining: Math.max(quota, 1), inFlight: 0, resetsAtMs: nowMs + windowMs, nextSlotAtMs: nowMs }
}

/** Looks for room in a renewed allowance. More units than the whole quota need the whole quota: the service then says no. */
export function roomFor(allowance: Allowance, units: number, priority: Priority, nowMs: number): Room {
  const { quota, remaining, inFlight, resetsAtMs } = allowance
  // A share below one unit leaves nothing aside: background work must get on with any quota.
  const reserve = priority === 'background' ? Math.floor(quota * reserveShare) : 0
  const free = remaining - inFlight
  if (free - reserve < Math.min(units, Math.max(quota - reserve, 1)))
    return { fits: false, waitMs: Math.max(resetsAtMs - nowMs, 1) }
  const isPaced = allowance.windowMs <= longestPacedWindowMs && free < quota * paceBelow[priority]
  return { fits: true, waitMs: isPaced ? Math.max(allowance.nextSlotAtMs - nowMs, 0) : 0 }
}

/** Sets `units` aside for a call that leaves at `leavesAtMs`. */
export function setAside(allowance: Allowance, units: number, leavesAtMs: number): Allowance {
  const free = Math.max(allowance.remaining - allowance.inFlight, 1)
  const spacingMs = Math.max(allowance.resetsAtMs - leavesAtMs, 0) / free
  return { ...allowance, inFlight: allowance.inFlight + units, nextSlotAtMs: leavesAtMs + spacingMs }
}

/** Takes back units of a call that never left. */
export function putBack(allowance: Allowance, units: number): Allowance {
  return { ...allowance, inFlight: Math.max(allowance.inFlight - units, 0) }
}

/** The allowance after an answer. What the answer is silent about is reckoned on; undefined where nothing is known yet. */
export function learned(
  allowance: Allowance | undefined,
  answer: { units: number; reading: PolicyReading | undefined; retryAfterMs: number | undefined },
  nowMs: number,
): Allowance | undefined {
  const { units, reading, retryAfterMs } = answer
  const quota = reading?.quota ?? allowance?.quota ?? reading?.remaining
  if (quota === undefined) return undefined
  const windowMs = reading?.windowMs ?? allowance?.windowMs ?? reading?.resetMs ?? 60_000
  const remaining = reading?.remaining ?? Math.max((allowance?.remaining ?? quota) - units, 0)
  const inFlight = Math.max((allowance?.inFlight ?? 0) - units, 0)
  const isEmpty = remaining < Math.max(units, 1)
  const windowEndsAtMs =
    reading?.resetMs === undefined
      ? (allowance?.resetsAtMs ?? nowMs + windowMs)
      : nowMs + Math.min(reading.resetMs, windowMs)
  return {
    quota,
    windowMs,
    remaining,
    inFlight,
    resetsAtMs: isEmpty ? holdsUntilMs(allowance, windowEndsAtMs, retryAfterMs, nowMs) : windowEndsAtMs,
    nextSlotAtMs: allowance?.nextSlotAtMs ?? nowMs,
    knownAtMs: allowance?.knownAtMs ?? nowMs,
  }
}

/** Until when an empty allowance is left alone. A hold is not shortened by an answer that only says again that nothing is left. */
function holdsUntilMs(
  before: Allowance | undefined,
  windowEndsAtMs: number,
  retryAfterMs: number | undefined,
  nowMs: number,
): number {
  if (retryAfterMs !== undefined) return nowMs + retryAfterMs
  const heldUntilMs = before !== undefined && before.remaining < 1 ? before.resetsAtMs : 0
  return Math.max(Math.min(windowEndsAtMs, nowMs + longestHoldMs), heldUntilMs)
}
