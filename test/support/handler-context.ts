import type { Api } from '../../packages/client/src/api/client.ts'
import { createMemoryEhr, type MemoryEhr } from '../../packages/ehr/src/memory/memory-ehr.ts'
import { createMemoryPharmacy, type MemoryPharmacy } from '../../packages/pharmacy/src/memory/memory-pharmacy.ts'
import { computeChanges } from '../../src/work/changes.ts'
import type { Effect, HandlerContext, HandlerFacts } from '../../src/work/handler.ts'
import type { Ehr } from '../../packages/ehr/src/ehr.ts'
import type { Pharmacy } from '../../packages/pharmacy/src/pharmacy.ts'
import { createDigest } from '../../packages/connector/src/digest.ts'
import type { RunContext, System } from '../../packages/connector/src/system.ts'
import { readConfig } from '../../src/settings/read-config.ts'
import { createTestRun } from './run-context.ts'
import {
  eventKinds,
  type EventType,
  type KindOf,
  type ResourceOf,
} from '../../packages/client/src/events/event-types.ts'

/** Where a handler under test acts. */
export interface HandlerStand {
  ehr: MemoryEhr
  pharmacy: MemoryPharmacy
  /** All runs of the stand share their memories, each system its own. */
  runs: { ehr: RunContext; pharmacy: RunContext }
}

/** An empty chart and an empty pharmacy. */
export function createHandlerStand(): HandlerStand {
  const runs = { ehr: createTestRun(), pharmacy: createTestRun() }
  return { ehr: createMemoryEhr(), pharmacy: createMemoryPharmacy(), runs }
}

/** The context that the dispatch would give to a handler of event `type` that last succeeded with `previous`; the API refuses every call. */
export function handlerContext<T extends EventType>(
  type: T,
  resource: ResourceOf<T>,
  options: Partial<HandlerFacts<T>> & {
    previous?: ResourceOf<T>
    ehr?: System<Ehr>
    pharmacy?: System<Pharmacy>
    runs?: HandlerStand['runs']
  } = {},
): HandlerContext<T> {
  const stand = createHandlerStand()
  const { previous, runs = stand.runs, ehr = stand.ehr, pharmacy = stand.pharmacy, ...facts } = options
  const kind: KindOf<T> = eventKinds[type]
  const context: object = {
    kind,
    resource,
    previous,
    changes: computeChanges(kind, resource, previous),
    events: [{ id: 1, type, receivedAt: new Date(0), source: 'webhook', isEcho: false }],
    api: unreachable,
    // A handler under test reads pawl's own settings, or gets its own in the options.
    settings: readConfig({ ROLE: 'receiver', WEBHOOK_SECRETS: 'a-secret-of-at-least-thirty-two-characters' })
      .settings as HandlerFacts['settings'],
    digest: createDigest(Buffer.alloc(32)),
    once: <Result>(_key: string, effect: Effect<Result>) => effect({ mayHaveRun: false }),
    memory: { read: () => Promise.resolve(undefined), write: () => Promise.resolve() },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    signal: new AbortController().signal,
    ...facts,
    ehr: ehr.open(runs.ehr),
    pharmacy: pharmacy.open(runs.pharmacy),
  }
  // The compiler cannot see that all this is of the event's kind; the ports of a fork's own systems are for the tests of its own handlers.
  return context as HandlerContext<T>
}

// The compiler cannot see that a proxy which refuses every access stands for any interface.
const unreachable = new Proxy({}, { get: refuse }) as Api

function refuse(): never {
  throw new Error('This handler asked for what the test did not give it: pass it in the options.')
}
