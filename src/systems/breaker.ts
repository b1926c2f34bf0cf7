/**
 * What can be away, a system or one kind of request to it, as a state machine: `closed` (in use), `open` (left alone), `half_open` (one piece of work, the probe, asks whether it is back).
 *
 * What hits many is the system's fault, what hits one is its own (see `Judge`):
 * - Five outages (no answer, 5xx, a refused token) of two resources or more with no success in between open the breaker. A resource that failed, and fails again after others passed, no longer counts: it runs out of attempts by itself and holds nobody up.
 * - A refusal that may be about everything (403, 404) does not park at once. The work waits until another resource passes (then it was its own fault), four resources are refused (then the system is away), or two cooldowns are over (then it was its own fault, as far as anybody can tell).
 * - Until it is known whose fault a failure is, it costs no attempt.
 * - Everything else says nothing about the system: it was never sent, or asked to slow down, or is clearly about the one resource. It neither opens nor closes.
 *
 * While the system is away all work waits for `SystemDown`, at no cost. After one cooldown a probe is let through; the next rest is no longer than the first, so that work goes on within about a cooldown of the system being back. Only a probe's success closes.
 * Probes are of resources that have not failed, some in a row before the next rest: healthy work finds the system well however many poison resources opened the breaker. Only where nothing else waits does one probe that has failed before, and then its failure costs an attempt once in 480 cooldowns (two hours by default): an outage of a day parks nothing, what fails for ever alone is parked in the end.
 */
import { PawlError } from '../base/errors.ts'
import { FailureUnconfirmed } from './failure-unconfirmed.ts'
import { createJudge, failureOf } from './judge.ts'
import { SystemDown } from './system-down.ts'

/** `closed`: in use. `open`: away, not asked. `half_open`: one piece of work finds out whether it is back. */
export type BreakerState = 'closed' | 'open' | 'half_open'

export interface BreakerDeps {
  system: string
  /** The kind of request that it is about; absent: all of the system. */
  request?: string | undefined
  /** Milliseconds for which an absent system is left alone before it is asked again. */
  cooldownMs: number
  /** The longest wait of work that meets the absence, in milliseconds: it grows with the absence to that. Default: a cooldown. */
  maxWaitMs?: number | undefined
  /** The system was found away, or still away, and is left alone for `restMs` from now. */
  onAway: (restMs: number, cause: unknown) => void
  /** A call of this process found the system back. */
  onBack: () => void
  /** Milliseconds since some moment; unlike a clock never set. */
  elapsed: () => number
}

/** One piece of work that was let through. */
export interface Admission {
  /** The system took what it was sent. */
  passed(): void
  /** What to throw in place of this failure; notes what it says about the system. */
  failed(error: unknown): unknown
  /** Whether it asks if the system is back, right now. */
  isProbing(): boolean
  /** It is over, whatever came of it: if it was the probe, another may be. */
  end(): void
}

/** The circuit breaker of one system, or of one kind of request. */
export interface Breaker {
  state(): BreakerState
  /** Lets work on a resource through. Throws `SystemDown` while the system is away. */
  admit(resourceId: string): Admission
  /** The same for what was let through before anything was known to be wrong. */
  observe(resourceId: string): Admission
  /** Another process found it away: left alone for so many milliseconds, then asked by this process, too. */
  hearAway(restMs: number): void
  /** No other process counts it as away any more: in use again, or asked at once where this process found it away itself. */
  hearBack(): void
  /** Milliseconds until it is asked again; 0 in use. */
  restMs(): number
}

/** Probes of resources that had not failed before, one after the other between two rests. */
const probesInARow = 3

interface Absence {
  since: number
  restsUntil: number
  /** Probes failed since the last rest. */
  failedProbes: number
  /** The probe that is on its way, until it counts as lost. */
  probe: { lostAt: number } | undefined
  /** Until when a resource that has not failed, and was told to wait, may be expected. */
  healthyExpectedUntil: number
  /** This process has only been told of it. */
  isHearsay: boolean
}

/** Makes a closed breaker. */
export function createBreaker(deps: BreakerDeps): Breaker {
  const { system, request, cooldownMs, maxWaitMs = cooldownMs, onAway, onBack, elapsed } = deps
  const judge = createJudge({ cooldownMs, elapsed })
  /** Told to those that meet a probe: long enough for a quick answer, short enough to be there soon after. */
  const soonMs = cooldownMs / 4
  let absence: Absence | undefined
  /** Openings and closings so far: what a call of an earlier turn tells is out of date. */
  let turn = 0

  function begin(restMs: number, isHearsay: boolean): void {
    turn += 1
    const since = elapsed()
    const restsUntil = since + restMs
    absence = { since, restsUntil, failedProbes: 0, probe: undefined, healthyExpectedUntil: -Infinity, isHearsay }
  }

  function end(): void {
    turn += 1
    absence = undefined
  }

  /** Lets one through as the probe. Throws `SystemDown`. */
  function admitProbe(away: Absence, resourceId: string): Absence['probe'] {
    const now = elapsed()
    const wait = (leastMs: number) => {
      const afterMs = Math.max(leastMs, Math.min(maxWaitMs - cooldownMs, (now - away.since) / 2))
      // It comes half as much later at the most.
      if (!judge.hasFailed(resourceId)) away.healthyExpectedUntil = now + Math.max(afterMs * 1.5, cooldownMs * 2)
      return new SystemDown(system, afterMs, { request })
    }
    if (now < away.restsUntil) throw wait(away.restsUntil - now)
    if (away.probe !== undefined && now < away.probe.lostAt) throw wait(soonMs)
    if (now < away.healthyExpectedUntil && judge.hasFailed(resourceId)) throw wait(cooldownMs)
    away.probe = { lostAt: now + cooldownMs * 4 }
    return away.probe
  }

  function passed(resourceId: string, startedIn: number): void {
    // What was on its way when the system went away does not show that it is back.
    if (absence !== undefined && turn !== startedIn) return
    judge.passed(resourceId)
    if (absence === undefined) return
    end()
    onBack()
  }

  /** What the caller is told of a failure; notes what it says about the system. */
  function failed(resourceId: string, error: unknown, startedIn: number): unknown {
    const failure = failureOf(error)
    if (failure === undefined || !(error instanceof PawlError)) return error
    // What must not be repeated unseen is parked, whoever is at fault.
    const mayWait = failure === 'refusal' || error.retry !== 'never'
    const orWait = (afterMs: number) => (mayWait ? new SystemDown(system, afterMs, { request, cause: error }) : error)
    if (turn !== startedIn) return orWait(absence === undefined ? soonMs : cooldownMs)
    if (absence !== undefined) return probeFailed(absence, resourceId, error) ?? orWait(cooldownMs)

    const verdict = judge.failed(resourceId, failure)
    if (verdict === 'resource') return error
    if (verdict !== 'system') return mayWait ? new FailureUnconfirmed(system, verdict.waitMs, error) : error
    begin(cooldownMs, false)
    onAway(cooldownMs, error)
    return orWait(cooldownMs)
  }

  /** The failure where it costs the resource an attempt. */
  function probeFailed(away: Absence, resourceId: string, error: PawlError): PawlError | undefined {
    const failure = error.isOutage ? 'outage' : 'refusal'
    const isRepeated = judge.hasFailed(resourceId)
    judge.failed(resourceId, failure)
    away.isHearsay = false
    away.failedProbes += 1
    if (isRepeated || away.failedProbes >= probesInARow) {
      away.failedProbes = 0
      away.restsUntil = elapsed() + cooldownMs
    }
    onAway(Math.max(0, away.restsUntil - elapsed()), error)
    if (!isRepeated || !judge.isCostDue(resourceId)) return undefined
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
    hearAway(restMs) {
      if (absence === undefined) begin(restMs, true)
    },
    hearBack() {
      if (absence?.isHearsay === true) end()
      else if (absence !== undefined) absence.restsUntil = elapsed()
    },
    restMs: () => (absence === undefined ? 0 : Math.max(0, absence.restsUntil - elapsed())),
  }
}
