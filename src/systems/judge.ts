import { PawlError } from '@pawl/base/errors'

/** The kind of a failed call. `outage`: the system is in trouble. `refusal`: it refuses, and only other work shows whether it refuses everything. */
export type Failure = 'outage' | 'refusal'

/** The party at fault for a failure, or the min wait before a retry while that is undecided. */
export type Verdict = 'system' | 'resource' | { waitMs: number }

/** Decides from the calls of one system whether a failure is the system's or the resource's own. */
export interface Judge {
  passed(resourceId: string): void
  /** `isSystems`: an outage that is not the resource's fault for certain. */
  failed(resourceId: string, failure: Failure, isSystems?: boolean): Verdict
  /** Whether the resource's own last call failed. */
  hasFailed(resourceId: string): boolean
  /** Whether this failure costs the resource an attempt although the system is away. True once in 480 cooldowns (two hours by default) in which the resource fails. */
  isCostDue(resourceId: string): boolean
}

/** Consecutive failures, and distinct resources among them, that make an outage. */
const outages = { failures: 5, resources: 2 }
/** Distinct resources refused without a success in between that make a refusal by the system. */
const resourcesRefused = 4
/** Max wait of a resource for which the system is away while it answers others, in cooldowns. */
const cooldownsAlone = 20
/** Cooldowns for which a resource fails at no cost while its system counts as away. */
const cooldownsPerAttempt = 480
/** Max remembered resources, enough to recognise repeated failures. */
const maxRemembered = 1_000
/** Milliseconds after a refusal from which a success ends it; an earlier success may belong to another call of the same work. */
const settledAfterMs = 60_000

/** Failures of one resource without a success of its own. */
interface Streak {
  since: number
  /** Successes of the system before it. */
  passes: number
  costsAt: number
}

interface Refusal {
  since: number
  lastAt: number
  passes: number
}

/** Classifies a thrown value; undefined if it says nothing about the system: never sent, told to slow down, or clearly about the one resource. */
export function failureOf(error: unknown): Failure | undefined {
  if (!(error instanceof PawlError)) return undefined
  if (error.isOutage) return 'outage'
  return error.mayBeOutage ? 'refusal' : undefined
}

/** Makes a judge. The fault of a failure stays undecided for up to twice `cooldownMs`. */
export function createJudge({ cooldownMs, elapsed }: { cooldownMs: number; elapsed: () => number }): Judge {
  const failing = new Map<string, Streak>()
  const refused = new Map<string, Refusal>()
  /** Failures since the last success, of resources that had not failed before it. */
  let recent: { resourceId: string; failure: Failure; at: number }[] = []
  const costsEveryMs = cooldownMs * cooldownsPerAttempt
  let passes = 0
  let lastPassed: string | undefined
  /** Successes up to the last one that was not of `lastPassed`. */
  let passesOfOthers = 0

  function lastPassBeside(resourceId: string): number {
    return resourceId === lastPassed ? passesOfOthers : passes
  }

  function isOfMany(now: number): boolean {
    const failed = recent.filter(({ failure }) => failure === 'outage')
    if (failed.length >= outages.failures && distinct(failed) >= outages.resources) return true
    return (
      distinct(recent.filter(({ failure, at }) => failure === 'refusal' && now - at <= cooldownMs * 2)) >=
      resourcesRefused
    )
  }

  return {
    passed(resourceId) {
      if (resourceId !== lastPassed) passesOfOthers = passes
      lastPassed = resourceId
      passes += 1
      recent = []
      failing.delete(resourceId)
      const refusal = refused.get(resourceId)
      if (refusal !== undefined && elapsed() - refusal.lastAt > settledAfterMs + cooldownMs * 4)
        refused.delete(resourceId)
    },
    failed(resourceId, failure, isSystems = false) {
      const now = elapsed()
      const streak = recall(failing, resourceId, () => ({ since: now, passes, costsAt: now + costsEveryMs }))
      let { since } = streak
      if (failure === 'refusal') {
        const refusal = recall(refused, resourceId, () => ({ since: now, lastAt: now, passes }))
        refusal.lastAt = now
        if (lastPassBeside(resourceId) > refusal.passes) return 'resource'
        since = refusal.since
      } else if (passes > streak.passes)
        return isSystems ? { waitMs: Math.min(now - since, cooldownMs * cooldownsAlone) } : 'resource'
      const doubtedUntil = since + cooldownMs * 2
      recent.push({ resourceId, failure, at: now })
      if (isOfMany(now)) {
        recent = []
        return 'system'
      }
      if (now >= doubtedUntil) return isSystems ? 'system' : 'resource'
      const leftMs = doubtedUntil - now
      if (failure === 'refusal') return { waitMs: Math.min(leftMs, cooldownMs) }
      // A transient fault is over soon: each wait doubles.
      return { waitMs: isSystems ? Math.min(now - since, leftMs) : now - since }
    },
    hasFailed: (resourceId) => failing.has(resourceId),
    isCostDue(resourceId) {
      const now = elapsed()
      const streak = failing.get(resourceId)
      if (streak === undefined || now < streak.costsAt) return false
      streak.costsAt = now + costsEveryMs
      return true
    },
  }
}

function distinct(failures: readonly { resourceId: string }[]): number {
  return new Set(failures.map(({ resourceId }) => resourceId)).size
}

/** The remembered entry of a resource, or a new one from `begin()`, which evicts the oldest if the memory is full. */
function recall<T>(memory: Map<string, T>, resourceId: string, begin: () => T): T {
  const known = memory.get(resourceId)
  if (known !== undefined) return known
  const oldest = memory.keys().next()
  if (memory.size >= maxRemembered && oldest.done !== true) memory.delete(oldest.value)
  const begun = begin()
  memory.set(resourceId, begun)
  return begun
}
