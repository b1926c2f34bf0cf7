/**
 * State machine of a system, or of one kind of request to it. `closed`: in use. `open`: away, left alone. `half_open`: one piece of work, the probe, tests whether it is back.
 *
 * A failure of many resources is the system's fault, a failure of one is its own (see `Judge`):
 * - Five outages (no answer, 5xx, a refused token) of at least two resources, without a success in between, open the breaker. A resource that fails again after others passed no longer counts: it uses up its own attempts and delays no other work.
 * - An outage that costs no attempt is the system's for certain, as where no connection came about: if it lasts for two cooldowns without a success in between, one resource is enough.
 * - A refusal that may concern everything (403, 404) does not park at once. The work waits for the first of these:
 *   - another resource passes: the refusal was its own fault;
 *   - four resources are refused: the system is away;
 *   - two cooldowns are over: the refusal counts as its own fault.
 * - While the fault is undecided, a failure costs no attempt.
 * - Other failures say nothing about the system: the request was never sent, was told to slow down, or clearly concerns the one resource. They neither open nor close the breaker.
 *
 * While the system is away, all work fails with `SystemDown` and waits, at no cost. After one cooldown, one piece of work probes the system. Later rests are no longer than the first, so work resumes within about a cooldown of the system's return. Only a successful probe closes the breaker.
 * Resources that have not failed probe first, several in a row before the next rest. Healthy work then detects a working system even if many poison resources opened the breaker. A resource that failed before probes only if no other waits. Its failure then costs an attempt once in 480 cooldowns (two hours by default). So an outage of a day parks no work, and a resource that keeps failing alone parks eventually.
 */
import { PawlError } from '@pawl/base/errors'
import { FailureUnconfirmed } from './failure-unconfirmed.ts'
import { createJudge, failureOf } from './judge.ts'
import { SystemDown } from './system-down.ts'

/** `closed`: in use. `open`: away, left alone. `half_open`: one probe tests whether it is back. */
export type BreakerState = 'closed' | 'open' | 'half_open'

export interface BreakerDeps {
  system: string
  /** The kind of request; absent for the whole system. */
  request?: string | undefined
  /** Milliseconds for which a system that is away is left alone. */
  cooldownMs: number
  /** Max wait of work while the system is away, in milliseconds; the wait grows up to it. Default: a cooldown. */
  maxWaitMs?: number | undefined
  /** Called when the system is found away, or still away, and rests for `restMs` from now. */
  onAway: (restMs: number, cause: unknown) => void
  /** Called when this process finds the system back. */
  onBack: () => void
  /** Monotonic time in milliseconds. */
  elapsed: () => number
}

/** One piece of work that probes a system. */
export interface Admission {
  /** Reports that the system took the request. */
  passed(): void
  /** Records the failure and returns the error to throw. */
  failed(error: unknown): unknown
  /** Whether it is the current probe. */
  isProbing(): boolean
  /** Ends it, regardless of the result: another probe may follow. */
  end(): void
}

/** The circuit breaker of one system, or of one kind of request. */
export interface Breaker {
  state(): BreakerState
  /** Admits a call for a resource. Throws `SystemDown` while the system is away. */
  admit(resourceId: string): Admission
  /** Follows a call that began while the breaker was closed. */
  observe(resourceId: string): Admission
  /** Another process found the system away: leaves it alone for `restMs`, then this process may probe too. */
  markAway(restMs: number): void
  /** The shared record of the outage is gone: closes, or probes at once if this process found it away itself. */
  markBack(): void
  /** Ends the rest on request, so that any resource may probe. */
  ask(): void
  /** Milliseconds until the next probe; 0 while closed. */
  restMs(): number
}

/** Consecutive probes of resources that had not failed before, between two rests. */
const probesInARow = 3

interface Absence {
  since: number
  restsUntil: number
  /** Failed probes since the last rest. */
  failedProbes: number
  /** The probe in flight, until it counts as lost. */
  probe: { lostAt: number } | undefined
  /** The latest time at which a waiting resource that has not failed is due. */
  healthyExpectedUntil: number
  /** Whether only other processes found the system away. */
  isRemote: boolean
  /** The last failure in this process. */
  cause: PawlError | undefined
}

/** Makes a closed breaker. */
export function createBreaker(deps: BreakerDeps): Breaker {
  const { system, request, cooldownMs, maxWaitMs = cooldownMs, onAway, onBack, elapsed } = deps
  const judge = createJudge({ cooldownMs, elapsed })
  /** The wait of work that meets a probe in flight: long enough for a quick answer, short enough to resume soon after. */
  const soonMs = cooldownMs / 4
  let absence: Absence | undefined
  /** Number of openings and closings; the result of a call from an earlier turn is out of date. */
  let turn = 0

  function begin(restMs: number, { isRemote = false, cause }: { isRemote?: boolean; cause?: PawlError }): void {
    turn += 1
    const since = elapsed()
    const restsUntil = since + restMs
    absence = {
      since,
      restsUntil,
      failedProbes: 0,
      probe: undefined,
      healthyExpectedUntil: -Infinity,
      isRemote,
      cause,
    }
  }

  function end(): void {
    turn += 1
    absence = undefined
  }

  /** Admits a call as the probe. Throws `SystemDown`. */
  function admitProbe(away: Absence, resourceId: string): Absence['probe'] {
    const now = elapsed()
    const wait = (leastMs: number) => {
      const afterMs = Math.max(leastMs, Math.min(maxWaitMs - cooldownMs, (now - away.since) / 2))
      // Jitter adds at most half of the wait to its retry.
      if (!judge.hasFailed(resourceId)) away.healthyExpectedUntil = now + Math.max(afterMs * 1.5, cooldownMs * 2)
      return new SystemDown(system, afterMs, { request, cause: away.cause })
    }
    if (now < away.restsUntil) throw wait(away.restsUntil - now)
    if (away.probe !== undefined && now < away.probe.lostAt) throw wait(soonMs)
    if (now < away.healthyExpectedUntil && judge.hasFailed(resourceId)) throw wait(cooldownMs)
    away.probe = { lostAt: now + cooldownMs * 4 }
    return away.probe
  }

  function passed(resourceId: string, startedIn: number): void {
    // The success of a request sent before the outage does not show that the system is back.
    if (absence !== undefined && turn !== startedIn) return
    judge.passed(resourceId)
    if (absence === undefined) return
    end()
    onBack()
  }

  /** Records a failure and returns the error to throw. */
  function failed(resourceId: string, error: unknown, startedIn: number): unknown {
    const failure = failureOf(error)
    if (failure === undefined || !(error instanceof PawlError)) return error
    // A write that must not be retried blindly parks, regardless of fault.
    const mayWait = failure === 'refusal' || error.retry !== 'never'
    const orWait = (afterMs: number) => (mayWait ? new SystemDown(system, afterMs, { request, cause: error }) : error)
    if (turn !== startedIn) return orWait(absence === undefined ? soonMs : cooldownMs)
    if (absence !== undefined) return probeFailed(absence, resourceId, error) ?? orWait(cooldownMs)

    const verdict = judge.failed(resourceId, failure, isSystems(error))
    if (verdict === 'resource') return error
    if (verdict !== 'system') return mayWait ? new FailureUnconfirmed(system, verdict.waitMs, error) : error
    begin(cooldownMs, { cause: error })
    onAway(cooldownMs, error)
    return orWait(cooldownMs)
  }

  /** Records a failed probe; returns the error if it costs the resource an attempt. */
  function probeFailed(away: Absence, resourceId: string, error: PawlError): PawlError | undefined {
    const failure = error.isOutage ? 'outage' : 'refusal'
    const isRepeated = judge.hasFailed(resourceId)
    judge.failed(resourceId, failure, isSystems(error))
    Object.assign(away, { isRemote: false, cause: error })
    away.failedProbes += 1
    if (isRepeated || away.failedProbes >= probesInARow) {
      away.failedProbes = 0
      away.restsUntil = elapsed() + cooldownMs
    }
    onAway(Math.max(0, away.restsUntil - elapsed()), error)
    if (!isRepeated || isSystems(error) || !judge.isCostDue(resourceId)) return undefined
    return failure === 'outage'
      ? error
      : new SystemDown(system, cooldownMs, { request, cause: error, costsAttempt: true })
  }

  function follow(resourceId: string, probe: Absence['probe']): Admission {
    const startedIn = turn
    const isProbing = () => probe !== undefined && absence?.probe === probe
    return {
      isProbing,
      passed: () => passed(resourceId, startedIn),
      failed: (error) => failed(resourceId, error, startedIn),
      end() {
        if (isProbing() && absence !== undefined) absence.probe = undefined
      },
    }
  }

  return {
    state() {
      if (absence === undefined) return 'closed'
      return absence.probe !== undefined && elapsed() < absence.probe.lostAt ? 'half_open' : 'open'
    },
    admit: (resourceId) => follow(resourceId, absence && admitProbe(absence, resourceId)),
    observe: (resourceId) => follow(resourceId, undefined),
    markAway(restMs) {
      if (absence === undefined) begin(restMs, { isRemote: true })
    },
    markBack() {
      if (absence?.isRemote === true) end()
      else if (absence !== undefined) absence.restsUntil = elapsed()
    },
    ask() {
      if (absence !== undefined) Object.assign(absence, { restsUntil: elapsed(), healthyExpectedUntil: -Infinity })
    },
    restMs: () => (absence === undefined ? 0 : Math.max(0, absence.restsUntil - elapsed())),
  }
}

/** Whether an outage is not the resource's fault for certain. */
function isSystems({ isOutage, costsAttempt }: PawlError): boolean {
  return isOutage && !costsAttempt
}
