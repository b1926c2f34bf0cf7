import type { RecordedHandler, RecordedResource } from '@pawl/ledger/views/recorded'
import { bindLog, type Log } from '@pawl/base/log'
import { noGuard } from '../../systems/guard.ts'
import { NotRehearsable } from '@pawl/connector/not-rehearsable'
import type { Memory, Receipt, System, SystemsByName } from '@pawl/connector/system'
import type { Digest } from '@pawl/connector/digest'
import { createSystems } from '../../systems/systems.ts'
import type { AnyHandler } from '../../work/handler.ts'
import { claimOutside } from '../../work/claim-outside.ts'
import { callHandler } from '../../work/call-handler.ts'
import type { NetworkGuard } from './no-network.ts'
import { type Call, recordedApi, recordingPort } from './recording-port.ts'
import type { EventRecord } from '@pawl/ledger/hot/claims'
import type { Remembered } from '@pawl/base/system-notes'
import type { Memories } from '@pawl/ledger/hot/memory'
import type { Effects } from '@pawl/ledger/hot/effects'

/** Input of a rehearsal. */
export interface Rehearsal {
  handler: AnyHandler
  resource: RecordedResource
  recorded: RecordedHandler
  data: unknown
  baseline: unknown
  tried: readonly unknown[]
  /** Dependencies of one rehearsal. */
  portions: readonly (readonly EventRecord[])[]
}

export interface RehearsalDeps {
  systems: SystemsByName
  /** The values of all settings by name. */
  settings: object
  /** From the replayed ledger. */
  digest: Digest
  newestMemory: Memories['newestMemory']
  network: Pick<NetworkGuard, 'without' | 'allow'>
}

/** A write that would be sent. `isChange`: it would change an existing record. */
export interface WouldWrite {
  system: string
  receipt: Receipt
  isChange: boolean
}

/** Result of a rehearsal. */
export interface Rehearsed {
  error: unknown
  writes: readonly WouldWrite[]
  /** Recorded calls of the service and of systems without a rehearsal, as `system.method`. */
  calls: readonly Call[]
  /** Systems and types that only the system could decide. */
  undecided: readonly { system: string; type: string }[]
  /** A result was unavailable: later differences may be caused by it. */
  isUncertain: boolean
  /** Effects of `once` without a record. */
  newEffects: number
  /** A recorded effect was skipped, and with it its writes. */
  hasOldEffects: boolean
  /** Roles read from memory, as named by `nameRole`. */
  roles: ReadonlySet<string>
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** Key of a role in a system's memory. */
export function nameRole(system: string, role: string): string {
  return JSON.stringify([system, role])
}

/** Runs a handler as pawl would, on the recorded data, and sends nothing: not to the service, not to a system, not into the ledger. */
export async function rehearse(rehearsal: Rehearsal, deps: RehearsalDeps): Promise<Rehearsed> {
  const { handler, resource, recorded, data, tried, portions } = rehearsal
  const { network, settings } = deps
  const notes = {
    writes: [] as WouldWrite[],
    calls: [] as Call[],
    undecided: [] as { system: string; type: string }[],
    isUncertain: false,
    newEffects: 0,
    hasOldEffects: false,
    roles: new Set<string>(),
  }
  const ledger = ledgerOf(resource, recorded, {
    notes,
    newest: (...of) => network.allow(() => deps.newestMemory(...of)),
  })
  const rehearsed = Object.entries(deps.systems).map(([name, system]): [string, System<object>] => [
    name,
    system.rehearse === undefined
      ? { open: () => recordingPort(name, notes.calls) }
      : rehearsedSystem(name, system, { resource, recorded, ledger, notes }),
  ])
  const systems = createSystems({
    systems: Object.fromEntries(rehearsed),
    digest: deps.digest,
    api: recordedApi(resource, data, notes.calls),
    breakers: {
      // Errors here are rethrown unchanged.
      ...noGuard,
      async call(system, resourceId, act) {
        const ask = () => noGuard.call(system, resourceId, act)
        try {
          return await (deps.systems[system]?.rehearse === undefined ? ask() : network.allow(ask))
        } catch (error) {
          if (error instanceof NotRehearsable) notes.isUncertain = true
          throw error
        }
      },
    },
  })
  let { baseline } = rehearsal
  for (const events of portions) {
    const previous = baseline
    const { error } = await network.without(
      () => (notes.isUncertain = true),
      () =>
        callHandler(
          {
            claim: claimOutside({
              resourceId: resource.id,
              kind: resource.kind,
              owner: 'rehearsal',
              events,
              at: Date.now(),
            }),
            handler,
            events,
            data,
            readBaseline: () => previous,
            readTried: () => tried,
            memoryOf: ledger.memoryOf,
          },
          {
            systems,
            settings,
            ledger,
            clock: { now: () => Date.now() },
            log: bindLog(silent, {}),
            watch: { begin: () => () => {} },
          },
          { signal: new AbortController().signal, assertHeld() {}, remainingMs: () => 3_600_000 },
        ),
    )
    if (error !== undefined) return { ...notes, error }
    baseline = data
  }
  return { ...notes, error: undefined }
}

type Notes = { -readonly [Name in keyof Omit<Rehearsed, 'error'>]: Rehearsed[Name] } & {
  writes: WouldWrite[]
  calls: Call[]
  undecided: { system: string; type: string }[]
  roles: Set<string>
}

type RehearsalLedger = Effects &
  Pick<Memories, 'newestMemory'> & {
    memoryOf(this: void, system: string): Memory
    /** Whether the memory of this system changed, compared with the ledger, since the last call. */
    takeChanged(system: string): boolean
  }

/** Memory of a rehearsal, layered on the ledger's. */
function ledgerOf(
  { memory }: RecordedResource,
  { effects }: RecordedHandler,
  { notes, newest }: { notes: Notes; newest: Memories['newestMemory'] },
): RehearsalLedger {
  const before = new Map(memory.map(({ system, role, remembered }) => [nameRole(system, role), remembered]))
  const now = new Map<string, Remembered>(before)
  const done = new Map(effects)
  const written = new Map<string, Remembered>()
  const changed = new Set<string>()
  return {
    async effect(_resourceId, _handler, key) {
      if (!done.has(key)) return undefined
      if (effects.has(key)) notes.hasOldEffects = true
      return { document: done.get(key) }
    },
    async beginEffect() {
      notes.newEffects += 1
      return { mayHaveRun: false }
    },
    async forgetBegun() {},
    async recordEffect(_resourceId, _handler, key, json) {
      done.set(key, json === undefined ? undefined : { text: json })
    },
    async newestMemory(system, role) {
      const name = nameRole(system, role)
      return written.get(name) ?? newest(system, role)
    },
    memoryOf(system) {
      const note: Memory['note'] = (role, remembered) => {
        const name = nameRole(system, role)
        const digest = before.get(name)?.digest
        if (digest !== undefined && remembered.digest !== undefined && remembered.digest !== digest) changed.add(system)
        now.set(name, remembered)
        written.set(name, remembered)
      }
      return {
        async read(role) {
          notes.roles.add(nameRole(system, role))
          return now.get(nameRole(system, role))
        },
        write: async (role, remembered) => note(role, remembered),
        note,
        share: async () => {},
      }
    },
    takeChanged: (system) => changed.delete(system),
  }
}

/** Wraps a system so that it opens its rehearsal. */
function rehearsedSystem(
  name: string,
  system: System<object>,
  {
    resource,
    recorded,
    ledger,
    notes,
  }: { resource: RecordedResource; recorded: RecordedHandler; ledger: RehearsalLedger; notes: Notes },
): System<object> {
  const known = new Set([
    ...resource.memory.filter((each) => each.system === name).map(({ remembered }) => remembered.id),
    ...recorded.writes.filter((each) => each.system === name).map(({ id }) => id),
  ])
  return {
    open: (run) =>
      // Opened only if it exists.
      system.rehearse?.({
        ...run,
        wrote(receipt) {
          run.wrote(receipt)
          const isChange = ledger.takeChanged(name) || known.has(receipt.id)
          notes.writes.push({ system: name, receipt, isChange })
        },
        cannotTell: (type) => void notes.undecided.push({ system: name, type }),
      }) ?? {},
  }
}
