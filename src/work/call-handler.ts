import type { Clock } from '@pawl/base/clock'
import { copyJson } from '@pawl/base/copy-json'
import { describeError, PawlError } from '@pawl/base/errors'
import { ClaimLost, type Claim, type EventRecord } from '@pawl/ledger/hot/claims'
import { readResource, type Resource, type ResourceKind } from 'pawl-client/schemas/kinds'
import { type ChangeForLog, describeChangeForLog } from './change-for-log.ts'
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

/** Runs the handler once; resolves with the run, the change it was given, and its error. Never throws. */
export async function callHandler(
  task: {
    claim: Claim
    handler: AnyHandler
    events: readonly EventRecord[]
    data: unknown
    readBaseline: () => unknown
    readTried: () => readonly unknown[]
    memoryOf: RunFacts['memoryOf']
    publish?: RunFacts['publish']
  },
  deps: RunDeps,
  lease: HeldLease,
): Promise<{ run: Run; change: ChangeForLog; error: unknown }> {
  const { claim, handler } = task
  const attributes = { 'pawl.handler': handler.name, 'pawl.resource.id': claim.resourceId }
  return inSpan(`handle ${handler.name}`, { attributes }, async (span) => {
    const ended = await runInSpan(task, deps, lease)
    if (ended.error !== undefined) span.fail(describeError(ended.error).code)
    return ended
  })
}

async function runInSpan(
  task: Parameters<typeof callHandler>[0],
  deps: RunDeps,
  lease: HeldLease,
): ReturnType<typeof callHandler> {
  const { claim, handler, events } = task
  const timeoutMs = handler.timeoutMs ?? defaultTimeoutMs
  // AbortSignal.any would leave its signals to finalizers, which costs more than all else here.
  const controller = new AbortController()
  const { signal } = controller
  let giveUp: (reason: unknown) => void = () => {}
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = (reason) => {
      controller.abort(reason)
      // eslint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is the error that stop or the timer was given
      reject(reason)
    }
  })
  // A handler that never started is not awaited.
  givenUp.catch(() => undefined)
  const endWithLease = () => giveUp(lease.signal.reason)
  if (lease.signal.aborted) endWithLease()
  lease.signal.addEventListener('abort', endWithLease, { once: true })
  const timeout = setTimeout(
    () => giveUp(new HandlerTimedOut(`The handler did not finish within ${timeoutMs} ms.`)),
    timeoutMs,
  )
  const writes: Run['writes'][number][] = []
  const leftOut: NonNullable<Run['leftOut']>[number][] = []
  const startedAt = deps.clock.now()
  const endWatch = deps.watch.begin(handler.name)
  let change: ChangeForLog = {}
  let error: unknown
  try {
    const context = createContext(task, deps, { writes, leftOut }, { ...lease, signal })
    change = describeChangeForLog(context.resource, context.previous)
    // The context has the kind of the handler's own event types, as readBacklogs chose the handler by them.
    await Promise.race([handler.handle(context as never), givenUp])
  } catch (caught) {
    // A handler that honours the signal may throw any error; the reason of the abort is the cause.
    error = (signal.aborted ? signal.reason : caught) ?? new Error('The handler threw nothing.')
  } finally {
    endWatch()
    clearTimeout(timeout)
    lease.signal.removeEventListener('abort', endWithLease)
    // Cuts off leftovers of the handler.
    controller.abort(runOver)
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
  return { run, change, error }
}

function createContext(
  { claim, handler, events, data, readBaseline, readTried, memoryOf, publish }: Parameters<typeof callHandler>[0],
  { ledger, systems, settings, log }: Pick<RunDeps, 'ledger' | 'systems' | 'settings' | 'log'>,
  outcome: Pick<RunFacts, 'writes' | 'leftOut'>,
  { signal, assertHeld, remainingMs }: HeldLease,
): HandlerFacts {
  const resource = readOwn(claim.kind, data)
  const baseline = readBaseline()
  const previous = baseline === undefined ? undefined : readOwn(claim.kind, baseline)
  const tried = readTried().map((each) => readOwn(claim.kind, each))
  const { resourceId } = claim
  const isEcho = createIsEcho(claim.ownChanges, { resource, previous })
  const boundLog = bindLog(log, { resource_id: resourceId, handler: handler.name })
  const assertMayAct = () => {
    signal.throwIfAborted()
    assertHeld()
  }
  const facts = {
    kind: claim.kind,
    resource,
    previous,
    // All were read by the schema of this kind.
    changes: computeChanges(claim.kind, resource as never, previous as never, tried as never[]),
    events: events.map((event) => {
      const { id, type, receivedAt, source, repeats } = event
      return { id, type, receivedAt: new Date(receivedAt), source, repeats, isEcho: isEcho(event) }
    }),
    // Read from the settings that the integration declares.
    settings: settings as HandlerFacts['settings'],
    once: createOnce({ ledger, resourceId, handler: handler.name, assertMayAct }),
    memory: createHandlerMemory({ handler: handler.name, ledger, memoryOf, digest: systems.digest, assertMayAct }),
    digest: systems.digest,
    log: boundLog,
    signal,
  }
  // A late request of a lost claim or a failed run may have changed a system without a trace in its memory.
  const inDoubt =
    claim.suspect || claim.progress.get(handler.name)?.errorCode !== undefined || events.some(isFromWithin)
  const ports = systems.open({
    claim,
    log: boundLog,
    signal,
    assertMayAct,
    remainingMs,
    ...outcome,
    memoryOf,
    publish,
    inDoubt,
  })
  // Ports stay unopened until the handler asks for them; no system has the name of a fact.
  const context: object = Object.assign(ports, facts)
  // The compiler cannot see that the schema of `kind` read the rest, nor that readBacklogs passed on only event types that the handler follows.
  return context as HandlerFacts
}

/** A copy of the document for one handler, which may change it. Throws ZodError. */
function readOwn(kind: ResourceKind, document: unknown): Resource {
  const { data, error } = readResource(kind, document)
  if (error !== undefined) throw error
  return copyJson(data)
}
