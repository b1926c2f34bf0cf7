/** What this process did lately, in memory alone: the console draws it, and no page asks the ledger to count it. */
export interface Vitals {
  /** One delivery was answered, and how long that took. */
  answered(this: void, outcome: string, tookMs: number): void
  /** One delivery was answered 503, and why. */
  turnedAway(this: void, code: string): void
  /** One run of a handler ended; `syncMs`: from its first event being stored to its success. */
  ran(this: void, handler: string, result: 'succeeded' | 'failed' | 'parked', syncMs?: number): void
  /** The service said how much of a rate limit is left. */
  limited(this: void, endpoint: string, limits: readonly Limit[]): void
  read(this: void): VitalsReading
}

/** What an answer of the service says of one rate limit. */
export interface Limit {
  name: string
  quota?: number
  remaining?: number
  resetMs?: number
}

/** What was left of a rate limit when the service last told of it. */
export interface LimitReading {
  policy: string
  endpoint: string
  quota: number | undefined
  remaining: number
  /** For how long what was left had to last when the service told of it. */
  resetMs: number | undefined
  agoMs: number
}

/** Of the latest of these, half took `p50` milliseconds or less, and of twenty nineteen took `p95` or less. */
export interface Spread {
  count: number
  p50: number
  p95: number
}

export interface VitalsReading {
  /** The minutes of the last hour, the newest last: when each began, and deliveries stored, repeated and not taken. */
  minutes: { at: number; stored: number; duplicate: number; refused: number }[]
  /** Deliveries answered 503 in this minute and the one before, by why. */
  turnedAway: { code: string; count: number }[]
  acknowledged: Spread | undefined
  synced: Spread | undefined
  limits: LimitReading[]
  /** Runs of the last hour by handler. */
  handlers: Record<string, HandlerRate>
}

export interface HandlerRate {
  succeeded: number
  failed: number
  parked: number
}

const minuteMs = 60_000
const keptMinutes = 60
/** Of how long things took, the latest are kept. */
const keptSamples = 1_000
/** Policies that are kept: the service may invent new ones. */
const keptLimits = 100

interface Minute {
  number: number
  outcomes: Record<string, number>
  turnedAway: Map<string, number>
  runs: Map<string, HandlerRate>
}

/** Makes the record of what a process did lately; it costs the same however much comes. */
export function createVitals(now: () => number): Vitals {
  let minutes: Minute[] = []
  const acknowledged = createSamples()
  const synced = createSamples()
  const limits = new Map<string, LimitReading & { at: number }>()

  function thisMinute(): Minute {
    const number = Math.floor(now() / minuteMs)
    const last = minutes.at(-1)
    // A clock that was set back goes on with the minute that it had.
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
    const counts = new Map<string, number>()
    for (const { number, turnedAway } of minutes)
      if (number >= newest - 1)
        for (const [code, count] of turnedAway) counts.set(code, (counts.get(code) ?? 0) + count)
    return [...counts].map(([code, count]) => ({ code, count }))
  }

  function readHandlers(): Record<string, HandlerRate> {
    const total: Record<string, HandlerRate> = {}
    for (const { runs } of minutes)
      for (const [handler, rate] of runs) {
        const sum = (total[handler] ??= { succeeded: 0, failed: 0, parked: 0 })
        for (const result of ['succeeded', 'failed', 'parked'] as const) sum[result] += rate[result]
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
      turnedAway.set(code, (turnedAway.get(code) ?? 0) + 1)
    },
    ran(handler, result, syncMs) {
      const { runs } = thisMinute()
      const rate = runs.get(handler) ?? { succeeded: 0, failed: 0, parked: 0 }
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

/** The latest of how long something took. */
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
