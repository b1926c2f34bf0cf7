import { eventKinds, isEventType } from 'pawl-client/events/event-types'
import { readDocument } from '@pawl/ledger/sealing/documents'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import type { AnyHandler } from './handler.ts'
import { isSameState } from 'pawl-client/schemas/same-state'
import type { Claim, HandlerNames } from '@pawl/ledger/hot/claim'
import type { EventRecord } from '@pawl/ledger/hot/event-record'

/** Events that one handler has to catch up with. */
export interface Backlog {
  handler: AnyHandler
  /** Events since its last success, oldest first; never empty. */
  events: readonly EventRecord[]
  /** Failed attempts so far. */
  attempts: number
  /** The error code of its last attempt, if that failed. */
  errorCode: string | undefined
  /** Milliseconds until the work is due; zero or less if it is due now. */
  dueInMs: number
  /** Throws `SealBroken`. */
  readBaseline: () => unknown
  /** Snapshots of the failed runs since its last success. Throws `SealBroken`. */
  readTried: () => readonly unknown[]
}

/** Handlers that follow resources of this kind. */
export function handlersFor(kind: ResourceKind, handlers: readonly AnyHandler[]): AnyHandler[] {
  return handlers.filter(({ on }) => on.some((type) => eventKinds[type] === kind))
}

/** Names of the handlers of each kind of resource. */
export function namesByKind(handlers: readonly AnyHandler[]): HandlerNames {
  const names = (kind: ResourceKind) => handlersFor(kind, handlers).map(({ name }) => name)
  return Object.fromEntries([...new Set(Object.values(eventKinds))].map((kind) => [kind, names(kind)]))
}

/** The backlog of each handler. A parked handler has none until a newer event or a retry. */
export function readBacklogs({ kind, progress: known, events }: Claim, handlers: readonly AnyHandler[]): Backlog[] {
  return handlers.flatMap((handler) => {
    const progress = known.get(handler.name)
    const handled = progress?.handledEventId ?? 0
    const pending = events.flatMap((event) => (event.id > handled ? (asFollowed(event, handler, kind) ?? []) : []))
    const newest = pending.at(-1)
    if (newest === undefined) return []
    if (progress?.state === 'parked' && newest.id <= progress.triedEventId) return []
    const isRetry = progress?.state === 'due'
    return {
      handler,
      events: pending,
      attempts: isRetry ? progress.attempts : 0,
      errorCode: progress?.errorCode,
      dueInMs: isRetry ? (progress.dueInMs ?? 0) : 0,
      readBaseline: () => readDocument(progress?.baseline),
      readTried: () => (progress?.tried ?? []).map(readDocument),
    }
  })
}

/** The event if the handler follows its type, else undefined. An event of pawl's own (a poll's find, a sync by hand) is for every handler of the kind, and takes the first type that the handler follows. */
export function asFollowed(event: EventRecord, { on }: AnyHandler, kind: ResourceKind): EventRecord | undefined {
  if (!isEventType(event.type)) return undefined
  if (on.includes(event.type)) return event
  const type = on.find((each) => eventKinds[each] === kind)
  return isFromWithin(event) && type !== undefined ? { ...event, type } : undefined
}

/** Whether pawl itself stored the event: a poll's find, a second look after a lost claim, a sync by hand. */
export function isFromWithin({ source }: EventRecord): boolean {
  return source === 'poll' || source === 'cli'
}

/** Whether a run would do nothing: no field that the handler reads changed since its last success, and that is beyond doubt. */
export function isUnchanged({ suspect, progress }: Claim, { handler, events }: Backlog, data: unknown): boolean {
  const { reads, mode, name } = handler
  const known = progress.get(name)
  if (reads === undefined || mode === 'each' || suspect || events.some(isFromWithin)) return false
  if (known?.state !== 'synced' || known.tried.length > 0) return false
  // An unreadable baseline fails the run.
  if (known.baseline === undefined || 'broken' in known.baseline) return false
  const baseline = readDocument(known.baseline)
  if (reads === 'all') return isSameState(data, baseline)
  return reads.every((field) => isSameState(valueOf(data, field), valueOf(baseline, field)))
}

function valueOf(document: unknown, field: string): unknown {
  return typeof document === 'object' && document !== null ? (document as Record<string, unknown>)[field] : undefined
}
