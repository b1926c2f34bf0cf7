import type { Api } from 'pawl-client/api/client'
import type { EventSource } from '@pawl/ledger/tables'
import type { EventType, EventTypeOf, KindOf } from 'pawl-client/events/event-types'
import type { ResourceKind, ResourceOfKind } from 'pawl-client/schemas/kinds'
import type { Log } from '@pawl/base/log'
import type { ChangesOfKind } from './changes.ts'
import type { HandlerMemory } from './handler-memory.ts'
import type { Ports, RegisteredLogFields, RegisteredSettings } from './register.ts'

/** An accepted delivery: a hint that the resource changed, without its data. */
export interface EventHint<T extends EventType = EventType> {
  id: number
  type: T
  receivedAt: Date
  source: EventSource
  /** Set when the event likely reports a cancellation or change of pharmacy that pawl requested; docs/handlers.md says how reliably. */
  isEcho: boolean
}

/** Argument of an effect of `once`. */
export interface EffectStart {
  /** An earlier attempt started and its end is unknown: its process was killed, its run aborted, or the answer was lost. Ask the system, or skip an effect that must not happen twice. */
  mayHaveRun: boolean
}

/** An effect that `once` runs. */
export type Effect<Result> = (start: EffectStart) => Promise<Result>

/** Argument of a handler, with a port of each system of the integration by name, such as `ehr`. */
export type HandlerContext<T extends EventType = EventType> = HandlerFacts<T> & Ports

/** The part of the argument that every integration has. For a handler of several kinds, `kind` narrows the dependent types. */
export type HandlerFacts<T extends EventType = EventType> = { [K in KindOf<T>]: FactsOfKind<K, T> }[KindOf<T>]

/** The argument for a resource of one kind. */
export interface FactsOfKind<K extends ResourceKind, T extends EventType = EventType> {
  /** A PA, a BV or an outreach attempt. */
  kind: K
  /** The current state, as the API returns it. */
  resource: ResourceOfKind<K>
  /** The snapshot that this handler last succeeded with; absent the first time. */
  previous: ResourceOfKind<K> | undefined
  /** The differences from `previous`. */
  changes: ChangesOfKind<K>
  /** Events since the last success, oldest first; exactly one in mode `each`. */
  events: readonly EventHint<EventTypeOf<K, T>>[]
  /** Client of the service. */
  api: Api
  /** All settings by name, those of the integration included. */
  settings: RegisteredSettings
  /** Runs an effect that is not idempotent until its success is recorded, and never again. Resolves with the recorded JSON result; with `undefined` once retention has deleted it. `key` is unique within this handler and resource. */
  once<Result>(key: string, effect: Effect<Result>): Promise<Result | undefined>
  /** Ids of this handler by keys of its own, across resources. */
  memory: HandlerMemory
  /** A keyed digest of patient text, to recognise it by, such as in a key of `once`: 32 hexadecimal digits. */
  digest(text: string): string
  /** Adds the resource and the handler to every line. */
  // eslint-disable-next-line typescript/no-unnecessary-type-arguments -- an integration may add some
  log: Log<RegisteredLogFields>
  /** Aborts when the handler's time is up or its claim is lost. */
  signal: AbortSignal
}

/** A unit of work that follows one or more event types. */
export interface Handler<T extends EventType = EventType> {
  /** Unique; the ledger keeps the handler's progress under it, so renaming starts it afresh. */
  name: string
  /** The event types that it follows. */
  on: readonly T[]
  /** `latest` (default): one run for all events since the last success. `each`: one run per event, in order. */
  mode?: 'latest' | 'each'
  /** Max milliseconds of one run. Default 60,000. */
  timeoutMs?: number
  /** The fields whose changes it follows, or `all`. An event by which none of them changed since its last success is a success without a run, unless pawl itself caused it or the last run is in doubt. Default: every event runs it. */
  reads?: 'all' | readonly FieldOf<T>[]
  /** Brings a system in sync with `resource`. Throw to be retried; throw a PawlError to say when. */
  handle(context: HandlerContext<T>): Promise<void>
}

/** The fields of the resources that these events are about. */
type FieldOf<T extends EventType> = { [K in KindOf<T>]: string & keyof ResourceOfKind<K> }[KindOf<T>]

/** A handler of any event types; the dispatch calls `handle` with the context of the types in `on`. */
export type AnyHandler = Omit<Handler, 'handle' | 'reads'> & {
  reads?: 'all' | readonly string[]
  handle(context: never): Promise<void>
}

/** Declares a handler; the types of `kind`, `resource`, `previous`, `changes` and `events` follow from `on`. */
export function defineHandler<const T extends EventType>(handler: Handler<T>): Handler<T> {
  return handler
}
