import { describeError, httpStatusOf, PawlError } from '@pawl/base/errors'
import type { Log } from '@pawl/base/log'
import { type Admission, type Breaker, type BreakerState, createBreaker } from './breaker.ts'
import type { Call, Guard } from './guard.ts'
import { failureOf } from './judge.ts'
import { type Away, refusalOf } from '@pawl/ledger/away'
import type { Outages } from '@pawl/ledger/hot/outages'

export interface BreakersDeps {
  systems: readonly string[]
  /** Milliseconds for which a system that is away is left alone. */
  cooldownMs: number
  /** The ledger's outages, through which processes share them. */
  outages: Outages
  log: Log
  /** Called when this process finds that a system accepts a refused kind of request again. Work waits longer for a refused kind than for a system that is away. */
  onTaken?: (system: string) => void
  /** Monotonic time in milliseconds. Default: since process start. */
  elapsed?: () => number
}

/** A circuit breaker for each system, and for each kind of request that a system refused. */
export interface Breakers extends Guard {
  /** Breaker state by system name. */
  states(this: void): Record<string, BreakerState>
  /** Everything that work waits for now, whether this process or another found it away. */
  away(this: void): Away[]
  close(): void
}

/** Interval of reading the outages of other processes. Milliseconds. */
const lookEveryMs = 1_000

/** Max depth of causes that are followed. */
const maxCauses = 5

/** Max wait for a kind of request, in cooldowns. Each retry may repeat requests of other kinds that precede the refused one. */
const cooldownsPerKind = 20

/** Max kinds of requests tracked for one system; further kinds count for the whole system. */
const maxKinds = 100

interface Watched {
  system: string
  request: string | undefined
  breaker: Breaker
  /** Set while this process finds it away: the start, the last error, whether it is logged, and whether that failed rather than refused. */
  found: { since: number; error: Away['error']; isLogged: boolean; isOutage: boolean } | undefined
  /** Whether it is recorded as away, by this process or, as of the last look, by any. */
  isNoted: boolean
  /** The time of the newest order, seen here, to probe it at once. */
  askedAt: number | undefined
}

/** Makes the breakers, which read the outages of other processes until closed. */
export function createBreakers({
  systems,
  cooldownMs,
  outages,
  log,
  onTaken = () => {},
  elapsed = () => performance.now(),
}: BreakersDeps): Breakers {
  /** How long a record outlasts the rest. Within this time, the first waiting work probes and records the result. */
  const graceMs = cooldownMs * 2
  const failedAt = new WeakMap<Error, string>()
  const all = new Map(systems.map((system) => [system, watch(system)]))
  /** The kinds of requests, by the names of their records. */
  const kinds = new Map<string, Watched>()
  /** By system, whether its connector reports requests; `undefined` until known. */
  const reports = new Map<string, boolean>()
  /** Counts writes of this process. A look that overlaps a write may have read an old record. */
  let noteTurns = 0
  let notesUnderWay = 0

  function watch(system: string, request?: string): Watched {
    const breaker = createBreaker({
      system,
      request,
      cooldownMs,
      maxWaitMs: request === undefined ? cooldownMs : cooldownMs * cooldownsPerKind,
      elapsed,
      onAway(restMs, cause) {
        const line = { system, status: 'open', error: cause }
        const isNews = watched.found === undefined && !watched.isNoted
        const error = describeAbsence(cause)
        const { since, isLogged } = watched.found ?? { since: elapsed(), isLogged: isNews }
        const isOutage = cause instanceof PawlError && cause.isOutage
        // A system that was away and now refuses pawl has another fault.
        const isOther = request === undefined && refusalOf(watched.found?.error) !== refusalOf(error)
        watched.found = { since: isOther ? elapsed() : since, isLogged, isOutage, error }
        if (isNews) log.warn(line, request === undefined || isOutage ? said.away : said.refuses)
        else log.debug(line, 'a system is still away')
        note(watched, restMs + graceMs)
      },
      onBack() {
        const level = watched.found?.isLogged === true ? 'info' : 'debug'
        log[level](
          { system, status: 'closed' },
          request === undefined || watched.found?.isOutage === true ? said.back : said.takes,
        )
        watched.found = undefined
        watched.isNoted = false
        note(watched, undefined)
        if (request !== undefined) onTaken(system)
      },
    })
    const watched: Watched = { system, request, breaker, found: undefined, isNoted: false, askedAt: undefined }
    return watched
  }

  /** The watch on a kind of request, made if missing; that of the whole system if there are too many kinds. */
  function watchKind(system: string, request: string): Watched | undefined {
    const name = nameOf(system, request)
    const known = kinds.get(name)
    if (known !== undefined) return known
    if ([...kinds.values()].filter((each) => each.system === system).length >= maxKinds) return all.get(system)
    const watched = watch(system, request)
    kinds.set(name, watched)
    return watched
  }

  /** Shares an outage or its end. If that fails, other processes find out by themselves, some failures later. */
  function note(watched: Watched, forMs: number | undefined): void {
    notesUnderWay += 1
    noteTurns += 1
    outages
      .noteOutage(nameOf(watched.system, watched.request), forMs)
      .then(() => (watched.isNoted = forMs !== undefined))
      .catch((error: unknown) => log.warn({ error }, 'outage not shared'))
      .finally(() => (notesUnderWay -= 1))
  }

  async function look(): Promise<void> {
    const turn = noteTurns
    const noted = notesUnderWay > 0 ? undefined : await outages.outages().catch(() => undefined)
    if (noted === undefined || turn !== noteTurns) return
    for (const { system: name } of noted) {
      const system = all.has(name) ? undefined : systems.find((each) => name.startsWith(nameOf(each, '')))
      if (system !== undefined) watchKind(system, name.slice(nameOf(system, '').length))
    }
    for (const [name, watched] of [...all, ...kinds]) {
      const outage = noted.find(({ system }) => system === name)
      if (outage !== undefined) {
        // Limits the rest to this process's own cooldown, even if the clock was changed.
        watched.breaker.markAway(Math.min(cooldownMs, Math.max(0, outage.remainingMs - graceMs)))
        if (outage.askedAt !== undefined && outage.askedAt !== watched.askedAt) watched.breaker.ask()
        watched.askedAt = outage.askedAt
      } else if (watched.isNoted) watched.breaker.markBack()
      watched.isNoted = outage !== undefined
    }
  }

  let looking = Promise.resolve()
  let next: Promise<void> | undefined

  /** A look that begins after this call, shared by all calls until it begins. */
  function lookAnew(): Promise<void> {
    next ??= looking.then(() => {
      next = undefined
      return (looking = look())
    })
    return next
  }

  /** Whether the system, or a kind of request, rests. Runs before each call, and checks one breaker unless a kind was refused. */
  function rests(system: string): boolean {
    if ((all.get(system)?.breaker.restMs() ?? 0) > 0) return true
    for (const each of kinds.values()) if (each.system === system && each.breaker.restMs() > 0) return true
    return false
  }

  const timer = setInterval(() => void lookAnew(), lookEveryMs).unref()

  const call: Guard['call'] = async (system, resourceId, act) => {
    const watched = all.get(system)
    if (watched === undefined) throw new TypeError(`No system is named ${system}.`)
    const call: Call = { isAnswered: false, requests: [] }
    let admission: Admission | undefined
    // Picks up an order to probe now, before the work goes on waiting.
    if (rests(system)) await lookAnew()
    try {
      admission = watched.breaker.admit(resourceId)
      const answer = await act(call)
      // A call without a request says nothing about the system, unless its connector never reports requests.
      if (call.isAnswered || reports.get(system) === false) admission.passed()
      return answer
    } catch (thrown) {
      const error = admission === undefined ? thrown : judge(watched, { resourceId, call, admission, error: thrown })
      if (error instanceof Error && !failedAt.has(error)) failedAt.set(error, system)
      throw error
    } finally {
      admission?.end()
      for (const { admission: ofKind } of call.requests) ofKind?.end()
    }
  }

  /** The error to throw for a failed call. */
  function judge({ system, breaker }: Watched, { resourceId, call, admission, error }: FailedCall): unknown {
    const failure = failureOf(error)
    if (failure !== undefined && call.requests.length === 0 && !reports.has(system)) {
      reports.set(system, false)
      log.warn({ system }, 'a connector does not report its requests: each call that returns counts as answered')
    }
    const isOfKind = error instanceof PawlError && (failure === 'refusal' || (failure === 'outage' && error.isOfRoute))
    const request = isOfKind ? error.request : undefined
    // While the whole system is away, every refusal counts for it.
    if (request === undefined || breaker.state() !== 'closed') return admission.failed(error)
    const begun = call.requests.findLast((each) => each.request === request && each.admission !== undefined)
    const ofKind = begun?.admission ?? watchKind(system, request)?.breaker.observe(resourceId)
    return ofKind === undefined ? error : ofKind.failed(error)
  }

  const begin: Guard['begin'] = (system, resourceId, request, calls) => {
    reports.set(system, true)
    // Its call may already be the probe.
    const probing = calls
      .flatMap(({ requests }) => requests)
      .find((each) => each.request === request && each.admission?.isProbing())
    const admission = probing?.admission ?? kinds.get(nameOf(system, request))?.breaker.admit(resourceId)
    const begun = { request, admission }
    for (const call of calls) call.requests.push(begun)
    return {
      answered() {
        for (const call of calls) call.isAnswered = true
        begun.admission?.passed()
      },
    }
  }

  function systemOf(failure: unknown): string | undefined {
    let error = failure
    // Causes may be circular.
    for (let depth = 0; depth < maxCauses && error instanceof Error; depth += 1) {
      const system = failedAt.get(error)
      if (system !== undefined) return system
      error = error.cause
    }
    return undefined
  }

  function describeAway({ system, request, breaker, found }: Watched): Away[] {
    if (breaker.state() === 'closed') return []
    // One of several addresses is away like a system of its own.
    const what = { system, ...(request !== undefined && found?.isOutage !== true && { request }) }
    if (found !== undefined) return [{ ...what, forMs: Math.round(elapsed() - found.since), error: found.error }]
    return [{ ...what, leftAloneMs: Math.round(breaker.restMs()) }]
  }

  return {
    call,
    begin,
    systemOf,
    away: () => [...all.values(), ...kinds.values()].flatMap(describeAway),
    close: () => clearInterval(timer),
    states: () => Object.fromEntries([...all].map(([system, { breaker }]) => [system, breaker.state()])),
  }
}

const said = {
  away: 'a system is away: its work waits',
  refuses: 'a system refuses one kind of request: work that needs it waits',
  back: 'a system is back',
  takes: 'a system takes one kind of request again',
} as const

interface FailedCall {
  resourceId: string
  call: Call
  admission: Admission
  error: unknown
}

function describeAbsence(cause: unknown): Away['error'] {
  const reason = cause instanceof PawlError ? cause.reason : undefined
  return { ...describeError(cause), ...(reason !== undefined && { reason }), httpStatus: httpStatusOf(cause) }
}

/** The name under which an outage is recorded. */
function nameOf(system: string, request: string | undefined): string {
  return request === undefined ? system : `${system}: ${request}`
}
