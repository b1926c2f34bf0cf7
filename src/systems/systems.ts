import type { Api, ApiClient } from 'pawl-client/api/client'
import { PawlError } from '@pawl/base/errors'
import { bindLog, type Log } from '@pawl/base/log'
import { inSpan, noteInSpan } from '@pawl/base/tracing/span'
import type { Mending } from '@pawl/base/system-notes'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import type { Digest } from '@pawl/connector/digest'
import type { Call, Guard } from './guard.ts'
import type { FoundRecord, Memory, Receipt, RunContext, SystemsByName } from '@pawl/connector/system'
import type { ClaimToken } from '@pawl/ledger/hot/claim'
import type { Run } from '@pawl/ledger/hot/notes'

/** A connector reported a write with an unusable receipt: a fault of its code, which no retry fixes. */
export class ReceiptUnusable extends PawlError {
  readonly code = 'receipt_unusable'
}

type Write = Run['writes'][number]
type LeftOut = NonNullable<Run['leftOut']>[number]

/** One run of one handler, as passed in by `work`. */
export interface RunFacts {
  claim: ClaimToken & { kind: ResourceKind }
  /** Adds the resource and the handler to every line. */
  log: Log
  /** Aborts at the end of the run. It may be made when it is first read. */
  readonly signal: AbortSignal
  assertMayAct: () => void
  remainingMs: () => number
  /** Collects the writes. */
  writes: Write[]
  /** Collects the types left out. */
  leftOut: LeftOut[]
  /** The memory of a system about the resource. */
  memoryOf: (system: string) => Memory
  publish?: RunContext['publish']
  /** Whether that memory may be out of date. */
  inDoubt?: boolean | undefined
}

export interface SystemsDeps {
  systems: SystemsByName
  api: Api | ApiClient
  breakers: Guard
  digest: Digest
}

/** All systems that handlers can reach, each behind its breaker. */
export interface Systems {
  /** The service, on behalf of one resource. */
  apiFor(this: void, resourceId: string): Api
  /** Adds the service and a port of each system for one run to `onto`. Ports are opened on first use. */
  open(this: void, run: RunFacts, onto?: object): { api: Api } & Record<string, object>
  /** Has a system mend a record of the claimed resource. Throws its errors. */
  mend(this: void, system: string, run: RunFacts, record: FoundRecord): Promise<Mending>
  digest: Digest
  /** The system that made a run fail, if any. */
  systemOf(this: void, failure: unknown): string | undefined
  /** Closes every system, even if another fails to close. */
  close(this: void): Promise<void>
}

/** Makes the registry of the systems. */
export function createSystems({ systems, api, breakers, digest }: SystemsDeps): Systems {
  const entries = Object.entries(systems)

  /** The port of a system for one resource, made by `make`. `beginRequest` reports a request to all calls in progress, which may run in parallel. */
  function guardedPort<P extends object>(
    { system, resourceId }: { system: string; resourceId: string },
    make: (ways: Ways) => P,
    around: (method: string, call: () => Promise<unknown>) => Promise<unknown> = (_method, call) => call(),
  ): P {
    const underWay = new Set<Call>()
    const port = make({
      beginRequest: (kind) => breakers.begin(system, resourceId, kind, [...underWay]),
    })
    return guardPort(port, (method, name) =>
      around(name, () =>
        breakers.call(system, resourceId, async (call) => {
          underWay.add(call)
          try {
            return await method()
          } finally {
            underWay.delete(call)
          }
        }),
      ),
    )
  }

  const openApi = (run: Pick<RunFacts, 'assertMayAct'>, { beginRequest }: Ways) =>
    'forRun' in api ? api.forRun({ assertMayAct: run.assertMayAct, beginRequest }) : api

  function apiFor(resourceId: string): Api {
    return guardedPort({ system: 'api', resourceId }, (ways) => openApi({ assertMayAct() {} }, ways))
  }

  const openers: readonly [string, (run: RunFacts, ways: Ways) => object][] = [
    ['api', openApi],
    ...entries.map(([name, system]): [string, (run: RunFacts, ways: Ways) => object] => [
      name,
      (run, ways) => system.open(contextFor(name, run, ways)),
    ]),
  ]

  function open(run: RunFacts, onto: object = {}): { api: Api } & Record<string, object> {
    const { resourceId } = run.claim
    for (const [system, opener] of openers) {
      const around = (method: string, call: () => Promise<unknown>) =>
        inSpan(`${system}.${method}`, { attributes: { 'pawl.system': system } }, async () => {
          run.assertMayAct()
          return call()
        })
      let port: object | undefined
      const get = () => (port ??= guardedPort({ system, resourceId }, (ways) => opener(run, ways), around))
      Object.defineProperty(onto, system, { get, enumerable: true })
    }
    // The properties were just defined.
    return onto as { api: Api } & Record<string, object>
  }

  function contextFor(system: string, run: RunFacts, { beginRequest }: Ways): RunContext {
    const { claim, log, assertMayAct, remainingMs, writes, leftOut, memoryOf, publish, inDoubt } = run
    const { resourceId, kind } = claim
    return {
      resourceId,
      kind,
      log: bindLog(log, { system }),
      get signal() {
        return run.signal
      },
      assertMayAct,
      remainingMs,
      memory: memoryOf(system),
      publish,
      inDoubt,
      digest,
      beginRequest,
      leftOut({ type, reason }) {
        if (!leftOut.some((each) => each.system === system && each.type === type))
          leftOut.push({ system, type, reason })
      },
      wrote(receipt) {
        const write = toWrite(system, receipt)
        writes.push(write)
        noteInSpan('wrote', { 'pawl.system': system, 'pawl.write.type': write.type, 'pawl.write.id': write.id })
        log.debug({ system, wrote: write.type }, 'wrote')
      },
    }
  }

  async function mend(name: string, run: RunFacts, record: FoundRecord): Promise<Mending> {
    const system = systems[name]
    const port = guardedPort({ system: name, resourceId: run.claim.resourceId }, (ways) => ({
      mend: () => system?.mend?.(record, contextFor(name, run, ways)) ?? Promise.resolve('left' as const),
    }))
    return port.mend()
  }

  return {
    apiFor,
    open,
    mend,
    systemOf: breakers.systemOf,
    digest,
    async close() {
      const closed = await Promise.allSettled(entries.map(async ([, system]) => system.close?.()))
      for (const result of closed) if (result.status === 'rejected') throw result.reason
    },
  }
}

/** Reports requests to the calls in progress. */
interface Ways {
  beginRequest: RunContext['beginRequest']
}

/** Copies only the fields of a receipt: others may hold patient data. */
function toWrite(system: string, { type, id, version }: Receipt): Write {
  const isUsable = [type, id, version ?? ''].every((part) => typeof part === 'string')
  if (!isUsable) throw new ReceiptUnusable('A connector must report type and id of its write, as strings.')
  return { system, type, id, ...(version !== undefined && { version }) }
}

/** Any method of a port. */
type Method = (...args: unknown[]) => unknown

/** Wraps a port so that `around` controls each method call: it may refuse, delay or observe it. Methods run on the port itself, so that a class keeps its private fields. */
export function guardPort<P extends object>(
  port: P,
  around: (call: () => unknown, name: string) => Promise<unknown>,
): P {
  const wrapped = new Map<PropertyKey, unknown>()
  return new Proxy(port, {
    get(target, name) {
      const known = wrapped.get(name)
      if (known !== undefined) return known
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      // The type of a port cannot say that its functions are methods.
      const method = member as Method
      const guarded = (...args: unknown[]) => around(() => method.apply(target, args), String(name))
      wrapped.set(name, guarded)
      return guarded
    },
  })
}
