import { parseJson } from '@pawl/base/parse-json'
import type { Observations } from '../observations.ts'
import { differenceBetween } from '../difference-between.ts'
import type { HandlerRun } from '../handler-runs.ts'
import type { Call } from '@pawl/testing/lines/line'

/** A change that a handler made to a system of the integration's own. */
export interface OwnEffect {
  run: HandlerRun
  /** The system, for the report. */
  system: string
  /** The record that it is about, if it can be told: the path of a request, the first text given to a port. */
  place: string
  content: string
  /** Key of the stored record: a path, or the name first given to a port. Its last write stands. */
  record: string
  /** The key of `once` under which it happened. */
  once: string | undefined
  /** Repeating it changes nothing: it is put, or carries an id by which the system knows it again. */
  isRepeatable: boolean
  key: string | undefined
  /** The system took it. */
  isTaken: boolean
  /** The system took it and the handler was told so. */
  isConfirmed: boolean
  startedAt: number
}

/** Methods by name that read or may be repeated. */
const reads = /^(get|read|find|search|list|check|has|is|load|look|fetch|exists)/i
const repeatable =
  /^(put|set|upsert|save|store|write|update|replace|merge|open|close|delete|remove|cancel|ensure|sync)/i

const known = new WeakMap<Observations, readonly OwnEffect[]>()

/** All changes to own systems, in order: requests, and calls of ports that sent none. Remembered, as many rules ask for those of one run. */
export function ownEffectsOf(seen: Observations): readonly OwnEffect[] {
  const effects = known.get(seen) ?? readEffects(seen)
  known.set(seen, effects)
  return effects
}

function readEffects({ calls, portCalls, runOf }: Observations): OwnEffect[] {
  const requests = calls.filter(({ system }) => system === 'own')
  const withHttp = new Set(
    portCalls
      .filter(({ run, startedAt, endedAt }) =>
        requests.some((each) => runOf(each) === run && each.startedAt >= startedAt && each.startedAt <= endedAt),
      )
      .map(({ system }) => system),
  )
  const sent = requests.flatMap((call) => effectOf(call, runOf(call)))
  const called = portCalls.flatMap(({ run, system, method, args, once, isDone, startedAt }): OwnEffect[] => {
    if (withHttp.has(system) || reads.test(method)) return []
    const [first] = args
    const isRepeatable = repeatable.test(method)
    return [
      {
        run,
        system,
        place: isRepeatable && typeof first === 'string' ? `${method} ${first}` : method,
        content: JSON.stringify(args),
        record: typeof first === 'string' ? first : method,
        once,
        isRepeatable,
        key: args.map(keyIn).find((each) => each !== undefined),
        isTaken: isDone,
        isConfirmed: isDone,
        startedAt,
      },
    ]
  })
  return [...sent, ...called].toSorted((one, other) => one.startedAt - other.startedAt)
}

/** What handlers asked of the service, such as a new PA. A cancellation may be repeated. */
export function serviceEffectsOf({ calls, runOf }: Observations): OwnEffect[] {
  return calls
    .filter(({ system }) => system === 'service')
    .flatMap((call) => effectOf(call, runOf(call)))
    .map((effect) => ({
      ...effect,
      system: 'the service',
      isRepeatable: effect.isRepeatable || /\/cancel\b/.test(effect.place),
    }))
}

function effectOf(call: Call, run: HandlerRun | undefined): OwnEffect[] {
  const { method, path, body, answered, headers, startedAt } = call
  if (run === undefined || method === 'GET' || method === 'HEAD') return []
  const key =
    headers['idempotency-key'] ?? headers['x-idempotency-key'] ?? headers['webhook-id'] ?? keyIn(parseJson(body))
  return [
    {
      run,
      system: hostOf(path),
      place: `${method} ${path}`,
      content: body,
      record: path,
      once: call.by?.once,
      isRepeatable: method !== 'POST',
      key: key === undefined ? undefined : String(key),
      isTaken: (call.done?.status ?? 500) < 300,
      isConfirmed: (answered?.status ?? 500) < 300,
      startedAt,
    },
  ]
}

/** The host of an own system. */
export function hostOf(path: string): string {
  return /^\/https?_([^/]+)/.exec(path)?.[1] ?? 'a system'
}

/** The field by which senders name a message. */
function keyIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const named = ['key', 'idempotencyKey', 'idempotency_key', 'messageId', 'message_id', 'event_id', 'eventId']
  const found = Object.entries(value).find(([name, text]) => named.includes(name) && typeof text === 'string')
  return found === undefined ? undefined : String(found[1])
}

/** Whether the system drops it: it took another under the same id, in a run that succeeded. */
export function isDropped(effect: OwnEffect, effects: readonly OwnEffect[]): boolean {
  return takenBefore(effect, effects).length > 0
}

function takenBefore({ run, system, place, key, startedAt }: OwnEffect, effects: readonly OwnEffect[]): OwnEffect[] {
  if (key === undefined) return []
  return effects.filter(
    (each) =>
      each.key === key &&
      each.system === system &&
      each.place === place &&
      each.startedAt < startedAt &&
      each.isConfirmed &&
      each.run.isDone &&
      each.run !== run,
  )
}

/** Effects that say something new under the id of an earlier one, so that the system drops them. */
export function droppedEffects(seen: Observations): string[] {
  const effects = [...ownEffectsOf(seen), ...serviceEffectsOf(seen)]
  return effects.flatMap((effect) => {
    const { run, system, content, key = '', isRepeatable } = effect
    // A record that is put may have a field named `key`.
    if (isRepeatable && content.includes(key)) return []
    const taken = takenBefore(effect, effects)
    if (taken.length === 0 || taken.some((each) => each.content === content)) return []
    const where = differenceBetween(taken.at(-1)?.content ?? '', content)
    return [
      `${seen.labels.get(run.resource)}: ${run.handler} told ${system} something else${where} under the id of what it had told it before`,
    ]
  })
}

/** Effects on own systems and the service that came twice, or came again with other content though the resource was the same. */
export function repeatedEffects(seen: Observations): string[] {
  const effects = [...ownEffectsOf(seen), ...serviceEffectsOf(seen)]
  return effects.flatMap((effect, at) => {
    const { run, system, content, place, key } = effect
    const about = `${seen.labels.get(run.resource)}: ${run.handler}`
    const before = effects.slice(0, at).filter(
      (each) =>
        each.run.handler === run.handler &&
        each.run.resource === run.resource &&
        each.system === system &&
        each.place === place &&
        each.isConfirmed &&
        // A process that ended may have lost what it was told.
        (each.run.endedAt < Infinity || each.run.generation === run.generation),
    )
    const isSame = ({ content: other }: OwnEffect) => other === content
    // With another snapshot it may be news, even in the same words.
    const known = before.filter((each) => each.run !== run && each.run.snapshot === run.snapshot)
    if (!effect.isRepeatable && known.some((each) => isSame(each) && (key === undefined || each.key !== key)))
      return [`${about} told ${system} the same twice`]
    const done = known.filter((each) => each.run.isDone)
    const isAway = ({ content: other }: OwnEffect) =>
      seen.clockChanges > 0 && withoutDays(other) !== withoutDays(content)
    const isNew =
      done.length > 0 && !done.some((each) => isSame(each) || isAway(each) || (key !== undefined && each.key === key))
    const where = differenceBetween(done.at(-1)?.content ?? '', content)
    return isNew ? [`${about} told ${system} something else${where} though nothing had changed`] : []
  })
}

/** Effects that a system took, though the handler did not hear of it, and that were then sent again under another key. */
export function renamedEffects(seen: Observations): string[] {
  const effects = [...ownEffectsOf(seen), ...serviceEffectsOf(seen)]
  return effects.flatMap((effect, at) => {
    const { run, system, key, isTaken, isConfirmed } = effect
    if (key === undefined || !isTaken || isConfirmed) return []
    const next = effects.slice(at + 1).find((each) => each.key !== undefined && isSaidAgain(each, effect, seen))
    if (next === undefined || next.key === key) return []
    return [
      `${seen.labels.get(run.resource)}: ${run.handler} told ${system} the same again under another key, after an answer that it had not got`,
    ]
  })
}

/** Effects without a key that the service took, and that the same run sent again as it had got no answer, without a look at what is there. */
export function sentBlindly(seen: Observations): string[] {
  const effects = serviceEffectsOf(seen)
  return effects.flatMap((effect, at) => {
    const { run, place, content, key, isRepeatable, isTaken, isConfirmed, startedAt } = effect
    if (key !== undefined || isRepeatable || !isTaken || isConfirmed) return []
    const next = effects.slice(at + 1).find((each) => each.run === run && each.place === place)
    if (next?.content !== content || !next.isTaken) return []
    const hasLooked = seen.calls.some(
      (call) =>
        call.method === 'GET' &&
        call.system === 'service' &&
        seen.runOf(call) === run &&
        call.startedAt > startedAt &&
        call.startedAt < next.startedAt,
    )
    return hasLooked
      ? []
      : [
          `${seen.labels.get(run.resource)}: ${run.handler} told the service the same again, after an answer that it had not got`,
        ]
  })
}

/** Once time has passed, a handler may say something else, but not of another day. */
const withoutDays = (text: string) => text.replaceAll(/\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?/g, '#')

/** Whether the handler says the same of a resource in the same state, apart from the key. */
function isSaidAgain(one: OwnEffect, other: OwnEffect, seen: Observations): boolean {
  const isSameRun = one.run.handler === other.run.handler && one.run.resource === other.run.resource
  const isSamePlace = one.system === other.system && withoutKey(one.place, one) === withoutKey(other.place, other)
  return (
    isSameRun &&
    isSamePlace &&
    withoutKey(one.content, one) === withoutKey(other.content, other) &&
    (one.run.snapshot === other.run.snapshot || isOfSameMove(one.run, other.run, seen))
  )
}

/** Whether both are attempts to tell one move, beside which other things happened meanwhile, and of those the handler tells nothing. */
function isOfSameMove(run: HandlerRun, before: HandlerRun, seen: Observations): boolean {
  const { handler, resource } = run
  const isPending =
    run.from === before.from && run.from !== run.status && run.words.join(' ') === before.words.join(' ')
  const hasSucceeded = seen.runs.some(
    (each) =>
      each.handler === handler &&
      each.resource === resource &&
      each.isDone &&
      each.beganAt >= before.beganAt &&
      each.beganAt < run.beganAt,
  )
  if (before.isDone || !isPending || hasSucceeded) return false
  return !ownEffectsOf(seen).some(
    (each) => each.run.handler === handler && each.run.changed?.includes('status') === false,
  )
}

function withoutKey(text: string, { key = '' }: OwnEffect): string {
  return key === '' ? text : text.replaceAll(key, '#')
}
