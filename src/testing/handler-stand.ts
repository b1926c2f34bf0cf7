import type { Clock } from '../base/clock.ts'
import { createMemoryEhr, type MemoryEhr } from '../connectors/ehr/memory/memory-ehr.ts'
import { createMemoryPharmacy, type MemoryPharmacy } from '../connectors/pharmacy/memory/memory-pharmacy.ts'
import type { Memory } from '../systems/system.ts'
import type { RunFacts } from '../systems/systems.ts'
import { captureLog, type LogCapture } from './capture-log.ts'
import type { Call } from './record-calls.ts'
import type { Remembered } from '../ledger/hot/shared-memory.ts'
import type { Effects } from '../ledger/hot/effects.ts'

/** What `once` did. */
export interface Effect {
  key: string
  /** What the effect returned, as JSON keeps it. */
  result: unknown
}

/** Where handlers under test act, and all that is left of their runs. */
export interface HandlerStand {
  /** The chart. */
  readonly ehr: MemoryEhr
  /** The pharmacy. */
  readonly pharmacy: MemoryPharmacy
  /** Calls of the service, and of the systems that the test gave, oldest first. */
  readonly calls: Call[]
  /** What `once` did, oldest first. */
  readonly effects: readonly Effect[]
  /** Lines of the handlers' log, and at level debug one for each write, oldest first. */
  readonly lines: readonly Record<string, unknown>[]
  /** What the runs remember; for the kit alone. */
  readonly remembered: StandMemory
}

/** What the ledger would keep of the runs. */
export interface StandMemory {
  clock: Clock
  capture: LogCapture
  ledger: Effects
  /** What a system remembers of a resource, by the resource's id. */
  memoryOf(resourceId: string): RunFacts['memoryOf']
  /** By handler and resource: the snapshot that it last succeeded with, and those that it failed with since. */
  progress: Map<string, { baseline: unknown; tried: unknown[] }>
  /** Events so far. */
  events: number
}

/** When everything on a stand happens. */
const standTime = Date.parse('2026-03-02T09:00:00Z')

/** Makes a stand with an empty chart and an empty pharmacy, where it is always 2 March 2026, 09:00 UTC. */
export function createHandlerStand(): HandlerStand {
  const clock = { now: () => standTime }
  const capture = captureLog()
  const effects = new Map<string, Effect>()
  const begun = new Set<string>()
  const memories = new Map<string, Remembered>()
  const keyOf = (...parts: string[]) => JSON.stringify(parts)
  return {
    ehr: createMemoryEhr({ clock }),
    pharmacy: createMemoryPharmacy(clock),
    calls: [],
    get effects() {
      return [...effects.values()]
    },
    get lines() {
      return capture.lines()
    },
    remembered: {
      clock,
      capture,
      progress: new Map(),
      events: 0,
      ledger: {
        async effect(resourceId, handler, key) {
          const effect = effects.get(keyOf(resourceId, handler, key))
          if (effect === undefined) return undefined
          return { document: effect.result === undefined ? undefined : { text: JSON.stringify(effect.result) } }
        },
        async beginEffect(resourceId, handler, key) {
          const name = keyOf(resourceId, handler, key)
          const mayHaveRun = begun.has(name)
          begun.add(name)
          return { mayHaveRun }
        },
        async forgetBegun(resourceId, handler, key) {
          begun.delete(keyOf(resourceId, handler, key))
        },
        async recordEffect(resourceId, handler, key, json) {
          begun.delete(keyOf(resourceId, handler, key))
          effects.set(keyOf(resourceId, handler, key), { key, result: json && JSON.parse(json) })
        },
      },
      memoryOf: (resourceId) => (system) => {
        const note: Memory['note'] = (role, remembered) =>
          void memories.set(keyOf(system, resourceId, role), remembered)
        return {
          read: async (role) => memories.get(keyOf(system, resourceId, role)),
          write: async (role, remembered) => note(role, remembered),
          note,
          // One handler runs at a time, and each resource has a memory of its own here.
          share: async () => {},
        }
      },
    },
  }
}
