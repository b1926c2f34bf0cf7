import { catalog, isEventType } from '../service/events/catalog.ts'
import { readDocument, type Document } from '../ledger/sealing/documents.ts'
import type { ResourceKind } from '../service/schemas/kinds.ts'
import type { AnyHandler } from './handler.ts'
import type { Claim, EventRecord, HandlerNames } from '../ledger/hot/claims.ts'

/** What one handler has to catch up with. */
export interface Backlog {
  handler: AnyHandler
  /** Events since its last success, oldest first; never empty. */
  events: readonly EventRecord[]
  /** Failed attempts so far. */
  attempts: number
  /** Why its last attempt failed, where it did. */
  errorCode: string | undefined
  /** Milliseconds until it may run; not positive when it may now. */
  dueInMs: number
  /** Throws `SealBroken`. */
  readBaseline: () => unknown
  /** The snapshots that it failed with since its last success. Throws `SealBroken`. */
  readTried: () => readonly unknown[]
}

/** Handlers that follow resources of this kind. */
export function handlersFor(kind: ResourceKind, handlers: readonly AnyHandler[]): AnyHandler[] {
  return handlers.filter(({ on }) => on.some((type) => catalog[type] === kind))
}

/** The names of all handlers, by the kinds of resource that they follow. */
export function namesByKind(handlers: readonly AnyHandler[]): HandlerNames {
  const names = (kind: ResourceKind) => handlersFor(kind, handlers).map(({ name }) => name)
  return Object.fromEntries([...new Set(Object.values(catalog))].map((kind) => [kind, names(kind)]))
}

/** What each handler has to do, and when. A parked one rests until something newer than its last try arrives, or somebody retries it. */
export function readBacklogs({ kind, progress: known, events }: Claim, handlers: readonly AnyHandler[]): Backlog[] {
  const baselines = new Map<string, unknown>()
  /** Handlers that are in step with one snapshot share what is read of it. */
  function readOnce(document: Document | undefined): unknown {
    if (document === undefined || !('text' in document)) return readDocument(document)
    if (!baselines.has(document.text)) baselines.set(document.text, readDocument(document))
    return baselines.get(document.text)
  }
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
      readBaseline: () => readOnce(progress?.baseline),
      // The ledger keeps an array there.
      readTried: () => (readDocument(progress?.tried) ?? []) as readonly unknown[],
    }
  })
}

/** An event of a type that the handler follows. One that no webhook told of (a change found by a poll, a sync by hand) is for every handler of the kind, whatever types it follows, and counts as the first of these. */
export function asFollowed(event: EventRecord, { on }: AnyHandler, kind: ResourceKind): EventRecord | undefined {
  if (!isEventType(event.type)) return undefined
  if (on.includes(event.type)) return event
  const type = on.find((each) => catalog[each] === kind)
  return isForAll(event) && type !== undefined ? { ...event, type } : undefined
}

function isForAll({ source }: EventRecord): boolean {
  return source === 'poll' || source === 'cli'
}
