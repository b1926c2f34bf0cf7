import type { Api, ApiClient } from '../api/client.ts'
import { PawlError } from '../errors.ts'
import type { ClaimToken, Run } from '../ledger/ledger.ts'
import { bindLog, type Log } from '../log.ts'
import { inSpan, noteInSpan } from '../tracing/span.ts'
import type { ResourceKind } from '../resources/kinds.ts'
import type { Breakers } from './breakers.ts'
import { guardPort } from './guard-port.ts'
import type { Memory, Receipt, RunContext, SystemsByName } from './system.ts'

/** A connector reported a write without a receipt that could be kept: a fault of its code, which no repetition mends. */
export class ReceiptUnusable extends PawlError {
  readonly code = 'receipt_unusable'
}

/** What the ledger keeps of a write. */
type Write = Run['writes'][number]

/** One run of one handler, as the work room knows it. */
export interface RunFacts {
  claim: ClaimToken & { kind: ResourceKind }
  /** Names the resource and the handler. */
  log: Log
  signal: AbortSignal
  assertMayAct: () => void
  remainingMs: () => number
  /** Filled with what is written. */
  writes: Write[]
  /** What a system remembers of the resource. */
  memoryOf: (system: string) => Memory
}

export interface SystemsDeps {
  systems: SystemsByName
  api: Api | ApiClient
  breakers: Pick<Breakers, 'call' | 'systemOf'>
}

/** All that handlers can reach beyond pawl, each system behind its breaker. */
export interface Systems {
  /** The service, on behalf of one resource. */
  apiFor(this: void, resourceId: string): Api
  /** The service and a port of each system for one run. Ports are opened when they are first asked for. */
  open(this: void, run: RunFacts): { api: Api } & Record<string, object>
  /** The system at which a run failed, where it was one. */
  systemOf(this: void, failure: unknown): string | undefined
  /** Closes every system, whatever becomes of the others. */
  close(this: void): Promise<void>
}

/** Makes the registry of the systems; whatever concerns all of them follows from their names. */
export function createSystems({ systems, api, breakers }: SystemsDeps): Systems {
  const entries = Object.entries(systems)

  function apiFor(resourceId: string): Api {
    return guardPort(api, (call) => breakers.call('api', resourceId, async () => call()))
  }

  function open(run: RunFacts): { api: Api } & Record<string, object> {
    const { resourceId } = run.claim
    const guarded = <P extends object>(name: string, port: P): P =>
      guardPort(port, async (call, method) =>
        inSpan(`${name}.${method}`, { attributes: { 'pawl.system': name } }, async () => {
          run.assertMayAct()
          return breakers.call(name, resourceId, async () => call())
        }),
      )
    const openApi = () => ('forRun' in api ? api.forRun(run.assertMayAct) : api)
    // Defined with all others below.
    const opened = {} as { api: Api } & Record<string, object>
    const openers: [string, () => object][] = entries.map(([name, system]) => [
      name,
      () => system.open(contextFor(name, run)),
    ])
    for (const [name, open] of [['api', openApi] as const, ...openers]) {
      let port: object | undefined
      const get = () => (port ??= guarded(name, open()))
      Object.defineProperty(opened, name, { get, enumerable: true })
    }
    return opened
  }

  function contextFor(system: string, run: RunFacts): RunContext {
    const { claim, log, signal, assertMayAct, remainingMs, writes, memoryOf } = run
    const { resourceId, kind } = claim
    return {
      resourceId,
      kind,
      log: bindLog(log, { system }),
      signal,
      assertMayAct,
      remainingMs,
      memory: memoryOf(system),
      wrote(receipt) {
        const write = toWrite(system, receipt)
        writes.push(write)
        noteInSpan('wrote', { 'pawl.system': system, 'pawl.write.type': write.type, 'pawl.write.id': write.id })
        log.debug({ system, wrote: write.type }, 'wrote')
      },
    }
  }

  return {
    apiFor,
    open,
    systemOf: breakers.systemOf,
    async close() {
      const closed = await Promise.allSettled(entries.map(async ([, system]) => system.close?.()))
      for (const result of closed) if (result.status === 'rejected') throw result.reason
    },
  }
}

/** Only what a receipt is to hold: whatever else a connector hands over may be about a patient. */
function toWrite(system: string, { type, id, version }: Receipt): Write {
  const isUsable = [type, id, version ?? ''].every((part) => typeof part === 'string')
  if (!isUsable) throw new ReceiptUnusable('A connector must report type and id of what it wrote, as strings.')
  return { system, type, id, ...(version !== undefined && { version }) }
}
