import type { ResourceKind } from '../../service/schemas/kinds.ts'
import type { System } from '../../systems/system.ts'
import type { Fault } from '../far-side.ts'

/** A far side of its own for one rule, and the connector that writes to it. */
export interface Stand<Port extends object> {
  /** A new instance of the connector, as each start of a process makes one. */
  connect(this: void): System<Port>
  /**
   * What the far side holds of a resource, the current state last: what its people go by, without the ids, times and versions that it gives.
   * Whatever is there twice is listed twice.
   */
  held(this: void, resourceId: string): Promise<readonly unknown[]>
  /** From now on the far side fails in this way; without a fault, no more. */
  fail(this: void, fault?: Fault): void | Promise<void>
  /** How many requests that ask for a change came so far; leave it out where that cannot be counted. */
  changes?(this: void): number
  /** Connections that are open now; leave it out where they cannot be counted. */
  connections?(this: void): Promise<number>
  close(this: void): Promise<void>
}

/** A connector, and all that the contract must know of it. */
export interface ContractSubject<Port extends object, State> {
  /** Called for each rule. */
  start(this: void): Promise<Stand<Port>>
  /** Two states of a resource that differ at the far side. */
  states(this: void, resourceId: string): readonly [State, State]
  /** Writes one of them, as handlers do. */
  write(this: void, port: Port, state: State): Promise<unknown>
  /** Values about the patient in the first state, which errors, logs, receipts and memory must not hold. */
  patientData: readonly string[]
  /** How the far side can fail. Default: in every way. */
  faults?: readonly Fault[]
  /** Default: `prior_authorization`. */
  kind?: ResourceKind
}

/** One rule that a connector keeps. */
export interface Rule {
  /** What it says, as the name of a test. */
  name: string
  /** Rejects with an `AssertionError` where the connector breaks it. */
  check(this: void): Promise<void>
}
