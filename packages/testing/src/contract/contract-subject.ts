import type { ResourceKind } from 'pawl-client/schemas/kinds'
import type { System } from '@pawl/connector/system'
import type { Fault } from '../far-side.ts'

/** The far side of one rule, and the connector that writes to it. */
export interface Stand<Port extends object> {
  /** Creates an instance of the connector, as each process start does. */
  connect(this: void): System<Port>
  /** The far side's records of a resource, the current state last, without the ids, times and versions that it assigns. Lists a duplicate twice. The contract copies them, so a far side may change its records in place. */
  held(this: void, resourceId: string): Promise<readonly unknown[]>
  /** Makes the far side fail in this way from now on; without a fault, recover. */
  fail(this: void, fault?: Fault): void | Promise<void>
  /** Stops the far side. */
  close(this: void): Promise<void>
  /** Number of changing requests received so far; omit it where they cannot be counted. */
  changes?(this: void): number
  /** Edits, as staff do, a field of the record that the connector does not own, and that `held` shows; omit it where there is none. */
  edit?(this: void, resourceId: string): void | Promise<void>
  /** Deletes the record of a resource, as staff do; omit it where staff cannot. */
  remove?(this: void, resourceId: string): void | Promise<void>
  /** Adds a record of `other` with a text that mentions `resourceId`, so that a search for `resourceId` finds it, before any other; omit it where no search does. */
  mention?(this: void, resourceId: string, other: string): void | Promise<void>
  /** Number of open connections; omit it where they cannot be counted. */
  connections?(this: void): Promise<number>
}

/** A connector as the contract tests it. */
export interface ContractSubject<Port extends object, State> {
  /** Called once per rule. */
  start(this: void): Promise<Stand<Port>>
  /** Two states of a resource that differ at the far side. */
  states(this: void, resourceId: string): readonly [State, State]
  /** A state for which the far side holds no record, such as of a cancelled PA, where the connector removes records. */
  gone?(this: void, resourceId: string): State
  /** Writes one of them, as handlers do. */
  write(this: void, port: Port, state: State): Promise<unknown>
  /** Values about the patient in the first state, which errors, logs, receipts and memory must not hold. Empty: the system gets none, and those rules are omitted. */
  patientData: readonly string[]
  /** How the far side can fail. Default: in every way. */
  faults?: readonly Fault[]
  /** Default: `prior_authorization`. */
  kind?: ResourceKind
}

/** One rule that a connector keeps. */
export interface Rule {
  /** Reads as the name of a test. */
  name: string
  /** Rejects with an `AssertionError` if the connector breaks the rule. */
  check(this: void): Promise<void>
}
