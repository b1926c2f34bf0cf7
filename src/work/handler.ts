import type { Api } from '../service/client/client.ts'
import type { EventSource } from '../ledger/tables.ts'
import type { EventType, EventTypeOf, KindOf } from '../service/events/catalog.ts'
import type { ResourceKind, ResourceOfKind } from '../service/schemas/kinds.ts'
import type { Log } from '../base/log.ts'
import type { ChangesOfKind } from './changes.ts'
import type { Ports, RegisteredLogFields, RegisteredSettings } from './register.ts'

/** One accepted delivery, as a handler sees it: a hint that the resource changed, never the data itself. */
export interface EventHint<T extends EventType = EventType> {
  id: number
  type: T
  receivedAt: Date
  source: EventSource
  /** A cancellation or change of pharmacy that pawl itself asked for is what it tells of, as far as that can be known: the README says how far. */
  isEcho: boolean
}

/** What an effect of `once` is told. */
export interface EffectStart {
  /** An earlier attempt was begun and nobody saw its end: its process was killed, its run was cut off, or no answer came. Ask the system, or skip what must rather be missing than come twice. */
  mayHaveRun: boolean
}

/** What `once` runs. */
export type Effect<Result> = (start: EffectStart) => Promise<Result>

/** All that a handler gets: beside this, a port of each system of the integration, by its name, such as `ehr`. */
export type HandlerContext<T extends EventType = EventType> = HandlerFacts<T> & Ports

/** What a handler gets whatever the integration. Where it follows several kinds, `kind` tells which, and with it narrows all that depends on it. */
export type HandlerFacts<T extends EventType = EventType> = { [K in KindOf<T>]: FactsOfKind<K, T> }[KindOf<T>]

/** What a handler gets about a resource of one kind. */
export interface FactsOfKind<K extends ResourceKind, T extends EventType = EventType> {
  /** What the resource is: a PA, a BV or an outreach attempt. */
  kind: K
  /** How the API says that things stand now. */
  resource: ResourceOfKind<K>
  /** The snapshot that this handler last succeeded with; absent the first time. */
  previous: ResourceOfKind<K> | undefined
  /** What is different from `previous`. */
  changes: ChangesOfKind<K>
  /** What was received since the last success, oldest first; exactly one for a handler in mode `each`. */
  events: EventHint<EventTypeOf<K, T>>[]
  /** The service. */
  api: Api
  /** The values of all settings by name, those of the integration too. */
  settings: RegisteredSettings
  /** Runs an effect that is not idempotent until its success is recorded and never after that, and resolves with what it returned then, as JSON keeps it; with `undefined` once retention has deleted that, though the effect does not happen again. `key` is unique within this handler and resource. */
  once<Result>(key: string, effect: Effect<Result>): Promise<Result | undefined>
  /** Stands for a text of a patient wherever something must be recognised by it, such as a key of `once`: 32 hexadecimal digits. */
  digest(text: string): string
  /** Names the resource and the handler in every line. */
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
  /** `latest` (default): one run covers all that was received since the last success. `each`: one run an event, in order. */
  mode?: 'latest' | 'each'
  /** Milliseconds that one run may take. Default 60,000. */
  timeoutMs?: number
  /** Brings a system up to date with `resource`. Throw to be tried again; throw a PawlError to say when. */
  handle(context: HandlerContext<T>): Promise<void>
}

/** A handler of any event types, as the dispatch holds it: it calls `handle` with the context of the very types in `on`. */
export type AnyHandler = Omit<Handler, 'handle'> & { handle(context: never): Promise<void> }

/** Declares a handler; the types of `kind`, `resource`, `previous`, `changes` and `events` follow from `on`. */
export function defineHandler<const T extends EventType>(handler: Handler<T>): Handler<T> {
  return handler
}
