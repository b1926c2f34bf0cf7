import type { Api } from '../../src/api/client.ts'
import { createMemoryEhr, type MemoryEhr } from '../../src/connectors/ehr/memory/memory-ehr.ts'
import { createMemoryPharmacy, type MemoryPharmacy } from '../../src/connectors/pharmacy/memory/memory-pharmacy.ts'
import { computeChanges } from '../../src/work/changes.ts'
import type { HandlerContext } from '../../src/work/handler.ts'
import { catalog, type EventType, type KindOf, type ResourceOf } from '../../src/events/catalog.ts'

/** Where a handler under test acts. */
export interface HandlerStand {
  ehr: MemoryEhr
  pharmacy: MemoryPharmacy
}

/** An empty chart and an empty pharmacy. */
export function createHandlerStand(): HandlerStand {
  return { ehr: createMemoryEhr(), pharmacy: createMemoryPharmacy() }
}

/** What the dispatch would give to a handler of event `type` that last succeeded with `previous`; the API refuses every call. */
export function handlerContext<T extends EventType>(
  type: T,
  resource: ResourceOf<T>,
  options: Partial<HandlerContext<T>> & { previous?: ResourceOf<T> } = {},
): HandlerContext<T> {
  const { previous } = options
  const kind: KindOf<T> = catalog[type]
  return {
    resource,
    previous,
    changes: computeChanges(kind, resource, previous),
    events: [{ id: 1, type, receivedAt: new Date(0), source: 'webhook' }],
    api: unreachable,
    ...createHandlerStand(),
    once: (_key, effect) => effect(),
    log: { debug() {}, info() {}, warn() {}, error() {} },
    signal: new AbortController().signal,
    ...options,
  }
}

// The compiler cannot see that a proxy which refuses every access stands for any interface.
const unreachable = new Proxy({}, { get: refuse }) as Api

function refuse(): never {
  throw new Error('This handler asked for what the test did not give it: pass it in the options.')
}
