import { describeError, PawlError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { type Admission, type Breaker, type BreakerState, createBreaker } from './breaker.ts'
import type { Call, Guard } from './guard.ts'
import { failureOf } from './judge.ts'
import type { Outages } from '../ledger/hot/outages.ts'

export interface BreakersDeps {
  /** The names of the systems, any names. */
  systems: readonly string[]
  /** Milliseconds for which an absent system is left alone before it is asked again. */
  cooldownMs: number
  /** Where processes tell each other who is away. */
  outages: Outages
  log: Log
  /** Milliseconds since some moment; unlike a clock never set. Default: since the process began. */
  elapsed?: () => number
}

/** A system that is away, or that refuses one kind of request for all, as far as this process knows. */
export interface Away {
  system: string
  /** The kind of request that it refuses, such as `PUT /Task`; absent where all of the system is away. */
  request?: string
  /** Milliseconds since this process found it away, and its last answer; absent where another process found it. */
  forMs?: number
  error?: { code: string; message: string }
  /** Milliseconds for which this process leaves it alone because another one found it away. */
  leftAloneMs?: number
}

/** A circuit breaker for each system, and for each kind of request that a system refused. */
export interface Breakers extends Guard {
  /** Of the systems by their names. */
  states(this: void): Record<string, BreakerState>
  /** What work waits for now, whoever found it away. */
  away(this: void): Away[]
  close(): void
}

/** How often a process looks what the others found out. Milliseconds. */
const lookEveryMs = 1_000

/** Causes of a failure that are followed. */
const maxCauses = 5

/** Work waits for a kind of request for so many cooldowns at the most: until it meets the refusal it may have asked for other kinds. */
const cooldownsPerKind = 20

/** Kinds of requests of one system that are told apart; what more there are counts as about all of the system. */
const maxKinds = 100

interface Watched {
  system: string
  request: string | undefined
  breaker: Breaker
  /** Since when this process finds it away, what it said last, and whether this process said so in the log. */
  found: { since: number; error: { code: string; message: string }; isTold: boolean } | undefined
  /** Another process, or this one, had noted it when this process looked last. */
  isNoted: boolean
}

/** Makes the breakers, which look what other processes found out until closed. */
export function createBreakers({
  systems,
  cooldownMs,
  outages,
  log,
  elapsed = () => performance.now(),
}: BreakersDeps): Breakers {
  /** A note outlasts the rest by so much: the first of those that wait asks within that time, and says what it found. */
  const graceMs = cooldownMs * 2
  const failedAt = new WeakMap<Error, string>()
  const all = new Map(systems.map((system) => [system, watch(system)]))
  /** By the names that they are noted under. */
  const kinds = new Map<string, Watched>()
  /** Whether its connector says when it sends a request; `undefined` until anything shows it. */
  const reports = new Map<string, boolean>()
  /** Notes of this process begun and ended: whoever looked meanwhile may have seen an old one. */
  let noteTurns = 0
  let notesUnderWay = 0

  function watch(system: string, request?: string): Watched {
    const name = nameOf(system, request)
    const breaker = createBreaker({
      system,
      request,
      cooldownMs,
      maxWaitMs: request === undefined ? cooldownMs : cooldownMs * cooldownsPerKind,
      elapsed,
      onAway(restMs, cause) {
        const line = { system, status: 'open', error: cause }
        const isNews = watched.found === undefined && !watched.isNoted
        const { since, isTold } = watched.found ?? { since: elapsed(), isTold: isNews }
        watched.found = { since, isTold, error: describeError(cause) }
        if (isNews) log.warn(line, request === undefined ? said.away : said.refuses)
        else log.debug(line, 'a system is still away')
        note(name, restMs + graceMs)
      },
      onBack() {
        const level = watched.found?.isTold === true ? 'info' : 'debug'
        log[level]({ system, status: 'closed' }, request === undefined ? said.back : said.takes)
        watched.found = undefined
        watched.isNoted = false
        note(name, undefined)
      },
    })
    const watched: Watched = { system, request, breaker, found: undefined, isNoted: false }
    return watched
  }

  /** What watches a kind of request from its first refusal on; all of the system where there are too many kinds. */
  function watchKind(system: string, request: string): Watched | undefined {
    const name = nameOf(system, request)
    const known = kinds.get(name)
    if (known !== undefined) return known
    if ([...kinds.values()].filter((each) => each.system === system).length >= maxKinds) return all.get(system)
    const watched = watch(system, request)
    kinds.set(name, watched)
    return watched
  }

  /** What the others are not told they find out by themselves, some failures later. */
  function note(name: string, forMs: number | undefined): void {
    notesUnderWay += 1
    noteTurns += 1
    outages
      .noteOutage(name, forMs)
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
      // Not longer than this process would leave it alone itself, whatever became of the clock.
      if (outage !== undefined)
        watched.breaker.hearAway(Math.min(cooldownMs, Math.max(0, outage.remainingMs - graceMs)))
      else if (watched.isNoted) watched.breaker.hearBack()
      watched.isNoted = outage !== undefined
    }
  }
  const timer = setInterval(() => void look(), lookEveryMs).unref()

  const call: Guard['call'] = async (system, resourceId, act) => {
    const watched = all.get(system)
    if (watched === undefined) throw new TypeError(`No system is named ${system}.`)
    const call: Call = { isAnswered: false, requests: [] }
    let admission: Admission | undefined
    try {
      admission = watched.breaker.admit(resourceId)
      const answer = await act(call)
      // What returned and asked for nothing says nothing, unless its connector never says what it asks for.
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

  /** What to throw in place of the error of a call. */
  function judge({ system, breaker }: Watched, { resourceId, call, admission, error }: FailedCall): unknown {
    const failure = failureOf(error)
    if (failure !== undefined && call.requests.length === 0 && !reports.has(system)) {
      reports.set(system, false)
      log.warn({ system }, 'a connector does not say what it sends: each of its calls that returns counts as answered')
    }
    const request = failure === 'refusal' && error instanceof PawlError ? error.request : undefined
    // While all of the system is away, whatever it refuses is of a system that is not back.
    if (request === undefined || breaker.state() !== 'closed') return admission.failed(error)
    const begun = call.requests.findLast((each) => each.request === request && each.admission !== undefined)
    const ofKind = begun?.admission ?? watchKind(system, request)?.breaker.observe(resourceId)
    return ofKind === undefined ? error : ofKind.failed(error)
  }

  const begin: Guard['begin'] = (system, resourceId, request, calls) => {
    reports.set(system, true)
    // Its call may hold the probe already.
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
    // Causes may refer to each other in a circle.
    for (let depth = 0; depth < maxCauses && error instanceof Error; depth += 1) {
      const system = failedAt.get(error)
      if (system !== undefined) return system
      error = error.cause
    }
    return undefined
  }

  function describeAway({ system, request, breaker, found }: Watched): Away[] {
    if (breaker.state() === 'closed') return []
    const what = { system, ...(request !== undefined && { request }) }
    if (found !== undefined) return [{ ...what, forMs: elapsed() - found.since, error: found.error }]
    return [{ ...what, leftAloneMs: breaker.restMs() }]
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

/** What the log says. */
const said = {
  away: 'a system is away: its work waits',
  refuses: 'a system refuses one kind of request: work that needs it waits',
  back: 'a system is back',
  takes: 'a system takes one kind of request again',
} as const

/** A call that threw. */
interface FailedCall {
  resourceId: string
  call: Call
  admission: Admission
  error: unknown
}

/** The name under which its absence is noted. */
function nameOf(system: string, request: string | undefined): string {
  return request === undefined ? system : `${system}: ${request}`
}
