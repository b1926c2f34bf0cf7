import type { Clock } from '@pawl/base/clock'
import { copyJson } from '@pawl/base/copy-json'
import { describeError, PawlError } from '@pawl/base/errors'
import { ClaimLost, type Claim } from '@pawl/ledger/hot/claim'
import type { EventRecord } from '@pawl/ledger/hot/event-record'
import { readResource, type Resource, type ResourceKind } from 'pawl-client/schemas/kinds'
import { computeChanges } from './changes.ts'
import { bindLog, type Log } from '@pawl/base/log'
import { inSpan } from '@pawl/base/tracing/span'
import { isFromWithin } from './backlog.ts'
import { createIsEcho } from './echo.ts'
import type { RunFacts, Systems } from '../systems/systems.ts'
import type { AnyHandler, HandlerFacts } from './handler.ts'
import type { LoopWatch } from './loop-watch.ts'
import { createHandlerMemory } from './handler-memory.ts'
import { createOnce, type OnceDeps } from './once.ts'
import type { Memories } from '@pawl/ledger/hot/memory'
import { createEnding, type Ending } from './ending.ts'
import type { HeldLease } from './lease.ts'
import type { Run } from '@pawl/ledger/hot/notes'

/** The handler timed out; its ports refuse any later call. */
export class HandlerTimedOut extends PawlError {
  readonly code = 'handler_timed_out'
  override readonly retry = 'backoff'
}

/** Dependencies of a run. */
export interface RunDeps {
  systems: Pick<Systems, 'open' | 'digest'>
  /** All settings by name. */
  settings: object
  ledger: OnceDeps['ledger'] & Pick<Memories, 'newestMemory'>
  clock: Clock
  log: Log
  /** Names the handlers that stall the event loop. */
  watch: Pick<LoopWatch, 'begin'>
}

const runOver = new ClaimLost('The run is over.')
const defaultTimeoutMs = 60_000

/** One run to do. */
interface Task {
  claim: Claim
  handler: AnyHandler
  events: readonly EventRecord[]
  data: unknown
  readBaseline: () => unknown
  readTried: () => readonly unknown[]
  memoryOf: RunFacts['memoryOf']
  publish?: RunFacts['publish']
}

interface Ended {
  run: Run
  error: unknown
}

/** Runs the handler once. Never throws. */
export async function callHandler(task: Task, deps: RunDeps, lease: HeldLease): Promise<Ended> {
  const { claim, handler } = task
  const attributes = { 'pawl.handler': handler.name, 'pawl.resource.id': claim.resourceId }
  return inSpan(`handle ${handler.name}`, { attributes }, async (span) => {
    const ended = await runInSpan(task, deps, lease)
    if (ended.error !== undefined) span.fail(describeError(ended.error).code)
    return ended
  })
}

async function runInSpan(task: Task, deps: RunDeps, lease: HeldLease): Promise<Ended> {
  const { claim, handler, events } = task
  const timeoutMs = handler.timeoutMs ?? defaultTimeoutMs
  const ending = createEnding()
  const unfollow = lease.ending.onEnd(ending.end)
  const timeout = setTimeout(
    () => ending.end(new HandlerTimedOut(`The handler did not finish within ${timeoutMs} ms.`)),
    timeoutMs,
  )
  const writes: Run['writes'][number][] = []
  const leftOut: NonNullable<Run['leftOut']>[number][] = []
  const startedAt = deps.clock.now()
  const endWatch = deps.watch.begin(handler.name)
  let error: unknown
  try {
    const states = readStates(task)
    const context = createContext(task, deps, states, { writes, leftOut }, { ...lease, ending })
    await untilEnded(handler, context, ending)
  } catch (caught) {
    // A handler that honours the signal may throw any error; the reason of the end is the cause.
    error = (ending.isOver() ? ending.reason() : caught) ?? new Error('The handler threw nothing.')
  } finally {
    endWatch()
    clearTimeout(timeout)
    unfollow()
    // Cuts off leftovers of the handler.
    ending.end(runOver)
  }
  const run = {
    handler: handler.name,
    startedAt,
    finishedAt: deps.clock.now(),
    firstEventId: events.at(0)?.id ?? claim.newestEventId,
    lastEventId: events.at(-1)?.id ?? claim.newestEventId,
    writes,
    ...(leftOut.length > 0 && { leftOut }),
  }
  return { run, error }
}

/** Runs the handler until it ends, or its right to act does. */
function untilEnded(handler: AnyHandler, context: HandlerFacts, { onEnd }: Ending): Promise<void> {
  return new Promise((resolve, reject) => {
    onEnd(reject)
    // The context has the kind of the handler's own event types, as readBacklogs chose the handler by them.
    void Promise.resolve(handler.handle(context as never)).then(resolve, reject)
  })
}

/** The states of a resource that a run compares, as read by the schema and shared by all handlers: not to be changed. */
interface States {
  resource: Resource
  previous: Resource | undefined
  readTried: () => readonly Resource[]
}

/** Throws ZodError, `SealBroken`. */
function readStates({ claim: { kind }, data, readBaseline, readTried }: Task): States {
  const baseline = readBaseline()
  return {
    resource: readAs(kind, data),
    previous: baseline === undefined ? undefined : readAs(kind, baseline),
    readTried: () => readTried().map((each) => readAs(kind, each)),
  }
}

/** The handler's argument. Parts that cost something, and that few handlers use, are made when they are first read. */
function createContext(
  { claim, handler, events, memoryOf, publish }: Task,
  { ledger, systems, settings, log }: Pick<RunDeps, 'ledger' | 'systems' | 'settings' | 'log'>,
  states: States,
  outcome: Pick<RunFacts, 'writes' | 'leftOut'>,
  { ending, assertHeld, remainingMs }: { ending: Ending } & Pick<HeldLease, 'assertHeld' | 'remainingMs'>,
): HandlerFacts {
  const { resourceId, kind } = claim
  const boundLog = bindLog(log, { resource_id: resourceId, handler: handler.name })
  const assertMayAct = () => {
    ending.throwIfOver()
    assertHeld()
  }
  const previous = lazily(() => copyJson(states.previous))
  const changes = lazily(() => copyJson(changesOf(kind, states)))
  const hints = lazily(() => toHints(claim, states, events))
  // Each handler may change its own copies.
  const facts = {
    kind,
    resource: copyJson(states.resource),
    get previous() {
      return previous()
    },
    get changes() {
      return changes()
    },
    get events() {
      return hints()
    },
    settings,
    once: createOnce({ ledger, resourceId, handler: handler.name, assertMayAct }),
    memory: createHandlerMemory({ handler: handler.name, ledger, memoryOf, digest: systems.digest, assertMayAct }),
    digest: systems.digest,
    log: boundLog,
    get signal() {
      return ending.signal
    },
  }
  // A late request of a lost claim or a failed run may have changed a system without a trace in its memory.
  const inDoubt =
    claim.suspect || claim.progress.get(handler.name)?.errorCode !== undefined || events.some(isFromWithin)
  const run = {
    claim,
    log: boundLog,
    get signal() {
      return ending.signal
    },
    assertMayAct,
    remainingMs,
    ...outcome,
    memoryOf,
    publish,
    inDoubt,
  }
  // No system has the name of a fact. The compiler cannot see that the schema of `kind` read the states, that the settings are
  // those that the integration declares, nor that readBacklogs passed on only event types that the handler follows.
  return systems.open(run, facts) as object as HandlerFacts
}

/** The differences of the states, all read by the schema of this kind. */
function changesOf(kind: ResourceKind, { resource, previous, readTried }: States) {
  return computeChanges(kind, resource as never, previous as never, readTried() as never[])
}

function toHints({ ownChanges }: Claim, states: States, events: readonly EventRecord[]) {
  const isEcho = createIsEcho(ownChanges, states)
  return events.map((event) => {
    const { id, type, receivedAt, source, repeats } = event
    return { id, type, receivedAt: new Date(receivedAt), source, repeats, isEcho: isEcho(event) }
  })
}

/** Reads a document by the schema of the kind, once for all handlers. Throws ZodError. */
function readAs(kind: ResourceKind, document: unknown): Resource {
  const { data, error } = readResource(kind, document)
  if (error !== undefined) throw error
  return data
}

/** Makes a value when it is first asked for, and keeps it. */
function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
