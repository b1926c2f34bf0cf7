import { parseJson } from '@pawl/base/parse-json'
import type { Observations } from '../observations.ts'
import { hostOf } from '../describe-request.ts'
import { differenceBetween } from '../difference-between.ts'
import { fieldsOf } from '../fields-of.ts'
import { digestOf } from '../snapshot-digest.ts'
import type { HandlerRun } from '../handler-runs.ts'
import type { Call } from '@pawl/testing/lines/line'
import { changedAt } from './courses.ts'

/** A handler's change to one of the integration's own systems. */
export interface OwnEffect {
  run: HandlerRun
  /** The system, for the report. */
  system: string
  /** The record it targets, if known: a request's path, or the first text passed to a port. */
  place: string
  /** As sent; of a PATCH the whole record after it, as far as known. */
  content: string
  /** Key of the stored record: a path, or the first name passed to a port. The last write wins. */
  record: string
  /** The record that a POST created, by the id in its answer. */
  created?: string
  /** The `once` key under which it happened. */
  once: string | undefined
  /** Repeating it changes nothing: it is a PUT, or carries an id by which the system recognises it. */
  isRepeatable: boolean
  key: string | undefined
  /** The system accepted it. */
  isTaken: boolean
  /** The system accepted it and the handler got the answer. */
  isConfirmed: boolean
  startedAt: number
}

/** Names of port methods that read or may be repeated. */
const reads = /^(get|read|find|search|list|check|has|is|load|look|fetch|exists)/i
const repeatable =
  /^(put|set|upsert|save|store|write|update|replace|merge|open|close|delete|remove|cancel|ensure|sync)/i

const known = new WeakMap<Observations, readonly OwnEffect[]>()

/** Every change to own systems, in order: requests, and port calls that sent none. Cached, because many rules read the same run. */
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
        content: JSON.stringify(args.map((each) => toldOf(each, run))),
        record: typeof first === 'string' ? first : names(args, run) ? `${method} ${run.resource}` : method,
        once,
        isRepeatable,
        key: args.map(keyIn).find((each) => each !== undefined),
        isTaken: isDone,
        isConfirmed: isDone,
        startedAt,
      },
    ]
  })
  return withHeldFields([...sent, ...called].toSorted((one, other) => one.startedAt - other.startedAt))
}

/** Adds to each PATCH the fields that its record had before. */
function withHeldFields(effects: readonly OwnEffect[]): OwnEffect[] {
  const held = new Map<string, object>()
  return effects.map((effect) => {
    const { system, record, created, place, content, isTaken } = effect
    const isPatch = place.startsWith('PATCH ')
    const before = isPatch ? held.get(`${system} ${record}`) : undefined
    const fields = { ...before, ...fieldsOf(content) }
    if (isTaken) held.set(`${system} ${created ?? record}`, fields)
    return before === undefined ? effect : { ...effect, content: JSON.stringify(fields) }
  })
}

/** Of the whole resource as an argument its codes: the connector chooses what it writes of it. */
function toldOf(argument: unknown, { snapshot }: HandlerRun): unknown {
  if (typeof argument !== 'object' || argument === null || digestOf(argument) !== snapshot) return argument
  const { id, status, outcome } = argument as { id?: unknown; status?: unknown; outcome?: unknown }
  return { id, status, outcome }
}

const names = (args: readonly unknown[], { resource }: HandlerRun) => JSON.stringify(args).includes(resource)

/** Handlers' changes at the service, such as a new PA. A cancellation may be repeated. */
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
  const { method, path, body, done, answered, headers, startedAt } = call
  if (run === undefined || method === 'GET' || method === 'HEAD') return []
  const { id } = fieldsOf(done?.body)
  const key =
    headers['idempotency-key'] ?? headers['x-idempotency-key'] ?? headers['webhook-id'] ?? keyIn(parseJson(body))
  return [
    {
      run,
      system: hostOf(path),
      place: `${method} ${path}`,
      content: body,
      record: path,
      ...(method === 'POST' && ['string', 'number'].includes(typeof id) && { created: `${path}/${String(id)}` }),
      once: call.by?.once,
      isRepeatable: method !== 'POST',
      key: key === undefined ? undefined : String(key),
      isTaken: (done?.status ?? 500) < 300,
      isConfirmed: (answered?.status ?? 500) < 300,
      startedAt,
    },
  ]
}

/** Whether one posted to a collection and the other wrote one of its records, as a run does that finds the record of an earlier one. */
export function isAdoption(one: OwnEffect, other: OwnEffect): boolean {
  const isBelow = (written: OwnEffect, posted: OwnEffect) =>
    written.isRepeatable &&
    posted.place.startsWith('POST ') &&
    written.record.startsWith(`${posted.record.split('?')[0]}/`)
  return isBelow(one, other) || isBelow(other, one)
}

/** The id field of a sent message. */
function keyIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const named = ['key', 'idempotencyKey', 'idempotency_key', 'messageId', 'message_id', 'event_id', 'eventId']
  const found = Object.entries(value).find(([name, text]) => named.includes(name) && typeof text === 'string')
  return found === undefined ? undefined : String(found[1])
}

/** Whether the system drops it as a copy: an earlier successful run sent another one under the same id. */
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

/** Finds effects with new content under the id of an earlier one: the system drops them. */
export function droppedEffects(seen: Observations): string[] {
  const effects = [...ownEffectsOf(seen), ...serviceEffectsOf(seen)]
  return effects.flatMap((effect) => {
    const { run, system, content, key = '', isRepeatable } = effect
    // A PUT record may have a field named `key`.
    if (isRepeatable && content.includes(key)) return []
    const taken = takenBefore(effect, effects)
    if (taken.length === 0 || taken.some((each) => each.content === content)) return []
    const where = differenceBetween(taken.at(-1)?.content ?? '', content)
    return [
      `${seen.labels.get(run.resource)}: ${run.handler} sent ${system} different content${where} under the id of an earlier message`,
    ]
  })
}

/** Finds effects on own systems or the service that repeat, or whose content changed although the resource did not. */
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
        // A process that ended may have lost its results.
        (each.run.endedAt < Infinity || each.run.generation === run.generation),
    )
    const isSame = ({ content: other }: OwnEffect) => other === content
    // For another snapshot, or after another, the same words may be news.
    const since = changedAt(run, seen)
    const known = before.filter(
      (each) => each.run !== run && each.run.snapshot === run.snapshot && each.run.beganAt > since,
    )
    if (!effect.isRepeatable && known.some((each) => isSame(each) && (key === undefined || each.key !== key)))
      return [`${about} sent ${system} the same twice`]
    const done = known.filter((each) => each.run.isDone)
    const isAway = ({ content: other }: OwnEffect) =>
      seen.clockChanges > 0 && withoutDays(other) !== withoutDays(content)
    const isNew =
      done.length > 0 && !done.some((each) => isSame(each) || isAway(each) || (key !== undefined && each.key === key))
    const where = differenceBetween(done.at(-1)?.content ?? '', content)
    return isNew ? [`${about} sent ${system} different content${where} although nothing had changed`] : []
  })
}

/** Finds effects that a system accepted without the handler learning of it, and that were repeated under another key. */
export function renamedEffects(seen: Observations): string[] {
  const effects = [...ownEffectsOf(seen), ...serviceEffectsOf(seen)]
  return effects.flatMap((effect, at) => {
    const { run, system, key, isTaken, isConfirmed } = effect
    if (key === undefined || !isTaken || isConfirmed) return []
    const next = effects.slice(at + 1).find((each) => each.key !== undefined && isRepeatOf(each, effect, seen))
    if (next === undefined || next.key === key) return []
    return [
      `${seen.labels.get(run.resource)}: ${run.handler} repeated an effect on ${system} under another key after a lost answer`,
    ]
  })
}

/** After a clock change, a handler may send different content, but dates alone do not count as different. */
const withoutDays = (text: string) => text.replaceAll(/\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?/g, '#')

/** Whether the content about a resource in the same state is equal, apart from the key. */
function isRepeatOf(one: OwnEffect, other: OwnEffect, seen: Observations): boolean {
  const isSameRun = one.run.handler === other.run.handler && one.run.resource === other.run.resource
  const isSamePlace = one.system === other.system && withoutKey(one.place, one) === withoutKey(other.place, other)
  return (
    isSameRun &&
    isSamePlace &&
    withoutKey(one.content, one) === withoutKey(other.content, other) &&
    (one.run.snapshot === other.run.snapshot || isOfSameMove(one.run, other.run, seen))
  )
}

/** Whether both runs try to report the same move, while only things the handler does not report changed in between. */
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
