import type { Remembered } from '../../src/ledger/ledger.ts'
import type { Receipt, RunContext, System } from '../../src/systems/system.ts'

/** A run as connectors see it, with a memory that lasts as long as the object. */
export interface TestRun extends RunContext {
  /** What was written, oldest first. */
  receipts: Receipt[]
}

/** Makes a run on one resource that may act for ever, with what a test wants different. */
export function createTestRun(different: Partial<RunContext> = {}): TestRun {
  const receipts: Receipt[] = []
  const remembered = new Map<string, Remembered>()
  return {
    resourceId: 'pa_req_1',
    kind: 'prior_authorization',
    log: { debug() {}, info() {}, warn() {}, error() {} },
    signal: new AbortController().signal,
    memory: {
      read: (role) => Promise.resolve(remembered.get(role)),
      write: (role, what) => Promise.resolve(void remembered.set(role, what)),
      note: (role, what) => void remembered.set(role, what),
    },
    assertMayAct() {},
    remainingMs: () => 3_600_000,
    wrote: (receipt) => void receipts.push(receipt),
    receipts,
    ...different,
  }
}

/** A system with this port for every run. */
export function systemOf<Port extends object>(port: Port): System<Port> {
  return { open: () => port }
}
