import { type ShownResult, shownResults } from '@pawl/ledger/tables'
import type { PolicyReading } from 'pawl-client/api/read-rate-limits'
import type { LimitReading } from 'pawl-client/schemas/rate-policies'

/** Recent activity of this process, in memory only: pages show it without counting in the ledger. */
export interface Vitals {
  /** Records one answered delivery, with its duration. */
  answered(this: void, outcome: string, tookMs: number): void
  /** Records one delivery answered with 503, with the reason. */
  turnedAway(this: void, code: string): void
  /** Records one run of a handler; `syncMs`: from storing its first event to its success. */
  ran(this: void, handler: string, result: ShownResult, syncMs?: number): void
  /** Records the service's report of a rate limit. */
  limited(this: void, endpoint: string, limits: readonly PolicyReading[]): void
  /** Records how far this machine's clock is ahead of the service's. */
  compared(this: void, clockAheadMs: number): void
  /** Milliseconds by which this machine's clock is ahead of the service's, negative if behind; `undefined` before the first answer, and once the clock was set since the last one. */
  clockAheadMs(this: void): number | undefined
  read(this: void): VitalsReading
}

/** Percentiles of the latest durations, in milliseconds. */
export interface Spread {
  count: number
  p50: number
  p95: number
}

export interface VitalsReading {
  /** Minutes of the last hour, the newest last: start, and deliveries stored, repeated and not accepted. */
  minutes: { at: number; stored: number; duplicate: number; refused: number }[]
  /** Deliveries answered with 503 in this minute and the one before, by reason. */
  turnedAway: { code: string; count: number; forMs: number; lastAgoMs: number }[]
  acknowledged: Spread | undefined
  synced: Spread | undefined
  limits: LimitReading[]
  /** Runs of the last hour, by handler. */
  handlers: Record<string, HandlerRate>
}

export type HandlerRate = Record<ShownResult, number>

const minuteMs = 60_000
const keptMinutes = 60
/** Max durations kept, the latest. */
const keptSamples = 1_000
/** Max policies kept: the service may add new ones. */
const keptLimits = 100

interface TurnedAway {
  count: number
  firstAt: number
  lastAt: number
}

interface Minute {
  number: number
  outcomes: Record<string, number>
  turnedAway: Map<string, TurnedAway>
  runs: Map<string, HandlerRate>
}

/** Max difference of two clocks over the time since the last comparison, in milliseconds. */
const setAfterMs = 5_000

/** Makes the record of recent activity; its size is bounded. `elapsed`: monotonic time. */
export function createVitals(now: () => number, elapsed = () => performance.now()): Vitals {
  let minutes: Minute[] = []
  const acknowledged = createSamples()
  const synced = createSamples()
  const limits = new Map<string, LimitReading & { at: number }>()

  let clock: { aheadMs: number; base: number } | undefined

  function thisMinute(): Minute {
    const number = Math.floor(now() / minuteMs)
    const last = minutes.at(-1)
    // After the clock is set back, counting continues in the same minute.
    if (last !== undefined && last.number >= number) return last
    const next: Minute = { number, outcomes: {}, turnedAway: new Map(), runs: new Map() }
    minutes = [...minutes, next].filter((minute) => minute.number > number - keptMinutes)
    return next
  }

  function readMinutes(): VitalsReading['minutes'] {
    const newest = thisMinute().number
    const byNumber = new Map(minutes.map((minute) => [minute.number, minute.outcomes]))
    return Array.from({ length: keptMinutes }, (_, index) => {
      const number = newest - keptMinutes + 1 + index
      const { stored = 0, duplicate = 0, refused = 0, unavailable = 0 } = byNumber.get(number) ?? {}
      return { at: number * minuteMs, stored, duplicate, refused: refused + unavailable }
    })
  }

  function readTurnedAway(): VitalsReading['turnedAway'] {
    const newest = thisMinute().number
    const found = new Map<string, TurnedAway>()
    for (const { number, turnedAway } of minutes)
      if (number >= newest - 1)
        for (const [code, { count, firstAt, lastAt }] of turnedAway) {
          const before = found.get(code)
          found.set(code, { count: count + (before?.count ?? 0), firstAt: before?.firstAt ?? firstAt, lastAt })
        }
    const ago = (at: number) => Math.max(0, now() - at)
    return [...found].map(([code, { count, firstAt, lastAt }]) => ({
      code,
      count,
      forMs: ago(firstAt),
      lastAgoMs: ago(lastAt),
    }))
  }

  function readHandlers(): Record<string, HandlerRate> {
    const total: Record<string, HandlerRate> = {}
    for (const { runs } of minutes)
      for (const [handler, rate] of runs) {
        const sum = (total[handler] ??= { succeeded: 0, failed: 0, parked: 0, waited: 0 })
        for (const result of shownResults) sum[result] += rate[result]
      }
    return total
  }

  return {
    answered(outcome, tookMs) {
      const { outcomes } = thisMinute()
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      if (outcome === 'stored' || outcome === 'duplicate') acknowledged.add(tookMs)
    },
    turnedAway(code) {
      const { turnedAway } = thisMinute()
      const { count, firstAt } = turnedAway.get(code) ?? { count: 0, firstAt: now() }
      turnedAway.set(code, { count: count + 1, firstAt, lastAt: now() })
    },
    ran(handler, result, syncMs) {
      const { runs } = thisMinute()
      const rate = runs.get(handler) ?? { succeeded: 0, failed: 0, parked: 0, waited: 0 }
      rate[result] += 1
      runs.set(handler, rate)
      if (syncMs !== undefined) synced.add(syncMs)
    },
    limited(endpoint, told) {
      for (const { name: policy, quota, remaining, resetMs } of told) {
        const key = `${policy} ${endpoint}`
        if (remaining === undefined || (limits.size >= keptLimits && !limits.has(key))) continue
        limits.set(key, { policy, endpoint, quota, remaining, resetMs, agoMs: 0, at: now() })
      }
    },
    compared: (aheadMs) => void (clock = { aheadMs, base: now() - elapsed() }),
    clockAheadMs() {
      if (clock === undefined || Math.abs(now() - elapsed() - clock.base) > setAfterMs) return undefined
      return clock.aheadMs
    },
    read: () => ({
      minutes: readMinutes(),
      turnedAway: readTurnedAway(),
      acknowledged: acknowledged.spread(),
      synced: synced.spread(),
      limits: [...limits.values()]
        .map(({ at, ...limit }) => ({ ...limit, agoMs: Math.max(0, now() - at) }))
        .toSorted((a, b) => a.policy.localeCompare(b.policy) || a.endpoint.localeCompare(b.endpoint)),
      handlers: readHandlers(),
    }),
  }
}

/** The latest durations. */
function createSamples() {
  const kept: number[] = []
  let next = 0
  return {
    add(ms: number): void {
      kept[next] = ms
      next = (next + 1) % keptSamples
    },
    spread(): Spread | undefined {
      if (kept.length === 0) return undefined
      const sorted = kept.toSorted((a, b) => a - b)
      const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0
      return { count: sorted.length, p50: at(0.5), p95: at(0.95) }
    },
  }
}
