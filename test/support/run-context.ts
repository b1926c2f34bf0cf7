import { createDigest } from '../../packages/connector/src/digest.ts'
import type { Receipt, RunContext, System } from '../../packages/connector/src/system.ts'
import type { Remembered } from '../../packages/base/src/system-notes.ts'

/** A run as connectors see it, with a memory that lasts as long as the object. */
export interface TestRun extends RunContext {
  /** Receipts of the writes, oldest first. */
  receipts: Receipt[]
  /** What was left out, oldest first. */
  leftOuts: { type: string; reason: string }[]
}

/** Makes a run on one resource that may act for ever, with what a test wants different. `shared`: what all resources remember together. */
export function createTestRun(different: Partial<RunContext> = {}, shared = new Map<string, Remembered>()): TestRun {
  const receipts: Receipt[] = []
  const leftOuts: TestRun['leftOuts'] = []
  const own = new Map<string, Remembered>()
  const sharedRoles = new Set<string>()
  const memoryOf = (role: string) => (sharedRoles.has(role) ? shared : own)
  return {
    resourceId: 'pa_req_1',
    kind: 'prior_authorization',
    log: { debug() {}, info() {}, warn() {}, error() {} },
    signal: new AbortController().signal,
    memory: {
      read: (role) => Promise.resolve(memoryOf(role).get(role)),
      write: (role, what) => Promise.resolve(void memoryOf(role).set(role, what)),
      forget: async (role) => void memoryOf(role).delete(role),
      share: async (role) => void sharedRoles.add(role),
      note: (role, what) => void memoryOf(role).set(role, what),
    },
    digest: createDigest(Buffer.alloc(32)),
    assertMayAct() {},
    beginRequest: () => ({ answered() {} }),
    remainingMs: () => 3_600_000,
    wrote: (receipt) => void receipts.push(receipt),
    leftOut: (left) => void leftOuts.push(left),
    receipts,
    leftOuts,
    ...different,
  }
}

/** A system with this port for every run. */
export function systemOf<Port extends object>(port: Port): System<Port> {
  return { open: () => port }
}
