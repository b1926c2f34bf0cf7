import type { Clock } from '@pawl/base/clock'
import { createMemoryEhr, type MemoryEhr } from '@pawl/ehr/memory/memory-ehr'
import { createMemoryPharmacy, type MemoryPharmacy } from '@pawl/pharmacy/memory/memory-pharmacy'
import type { Memory } from '@pawl/connector/system'
import type { RunFacts } from '../../../src/systems/systems.ts'
import { captureLog, type LogCapture } from './capture-log.ts'
import type { Call } from './record-calls.ts'
import type { Remembered } from '@pawl/base/system-notes'
import type { Memories } from '@pawl/ledger/hot/memory'
import type { Effects } from '@pawl/ledger/hot/effects'

/** One effect of `once`. */
export interface Effect {
  key: string
  /** The effect's return value after a round trip through JSON. */
  result: unknown
}

/** The systems that handlers under test act on, and the effects of their runs. */
export interface HandlerStand {
  /** The chart. */
  readonly ehr: MemoryEhr
  /** The pharmacy. */
  readonly pharmacy: MemoryPharmacy
  /** Calls of the service and of systems given by the test, oldest first. */
  readonly calls: Call[]
  /** Effects of `once`, oldest first. */
  readonly effects: readonly Effect[]
  /** Lines of the handlers' log, plus one per write at level debug, oldest first. */
  readonly lines: readonly Record<string, unknown>[]
  /** State of the runs; internal to the kit. */
  readonly remembered: StandMemory
}

/** State that the ledger would store for the runs. */
export interface StandMemory {
  clock: Clock
  capture: LogCapture
  ledger: Effects & Pick<Memories, 'newestMemory'>
  /** Systems' memory of a resource, by the resource's id. */
  memoryOf(resourceId: string): RunFacts['memoryOf']
  /** By handler and resource: snapshot of the last success, and snapshots of failed runs since. */
  progress: Map<string, { baseline: unknown; tried: unknown[] }>
  /** Number of events so far. */
  events: number
}

/** The time on every stand. */
const standTime = Date.parse('2026-03-02T09:00:00Z')

/** Makes a stand with an empty chart and an empty pharmacy, where it is always 2 March 2026, 09:00 UTC. */
export function createHandlerStand(): HandlerStand {
  const clock = { now: () => standTime }
  // Without an integration, only its types' own fields pass.
  const capture = captureLog('debug', { ownFields: 'any' })
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
        async newestMemory(system, role) {
          const isUnder = (key: string) => {
            // In the format of keyOf.
            const [ofSystem, , underRole] = JSON.parse(key) as string[]
            return ofSystem === system && underRole === role
          }
          return [...memories].findLast(([key]) => isUnder(key))?.[1]
        },
      },
      memoryOf: (resourceId) => (system) => {
        const note: Memory['note'] = (role, remembered) => {
          const key = keyOf(system, resourceId, role)
          // The newest comes last.
          memories.delete(key)
          memories.set(key, remembered)
        }
        return {
          read: async (role) => memories.get(keyOf(system, resourceId, role)),
          write: async (role, remembered) => note(role, remembered),
          forget: async (role) => void memories.delete(keyOf(system, resourceId, role)),
          note,
          // One handler runs at a time, and each resource has its own memory here.
          share: async () => {},
        }
      },
    },
  }
}
