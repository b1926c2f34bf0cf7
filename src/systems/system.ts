import type { JWK } from 'jose'
import type { ResourceKind } from '../service/schemas/kinds.ts'
import type { Log } from '../base/log.ts'
import type { Digest } from './digest.ts'
import type { Remembered } from '../ledger/hot/shared-memory.ts'

/** What one write to a system left there: ids only, kept in the ledger as the audit trail. */
export interface Receipt {
  /** The system's own type, for example `Task`. */
  type: string
  /** The id that the system gave, or the one that pawl gave where the system gives none. */
  id: string
  /** The system's own version, where it has versions. */
  version?: string | undefined
}

/** Durable notes of a connector about one resource, each under a role of its own choice: how it finds again what it wrote. */
export interface Memory {
  read(role: string): Promise<Remembered | undefined>
  /** Committed when it resolves, whatever becomes of the run. Throws `ClaimLost`. */
  write(role: string, remembered: Remembered): Promise<void>
  /** Committed together with what becomes of the run, which saves a commit; `read` tells it at once. For what the system can be asked for again: a process that is killed during the run forgets it. */
  note(role: string, remembered: Remembered): void
  /** Has a role be the same for all resources of the system, such as the one insurance of all of a patient's BVs; `read` tells what is remembered there from then on. Until the resource is given back no other run has it. Throws `MemoryTaken` while another run does, and `ClaimLost`. */
  share(role: string): Promise<void>
}

export { everyType } from '../ledger/hot/left-out.ts'

/** One run of one handler on one resource, as the systems that it writes to see it. */
export interface RunContext {
  resourceId: string
  kind: ResourceKind
  /** Names the resource, the handler and the system in every line. */
  log: Log
  /** Aborts when the run's time is up, its claim is lost, or the process stops. */
  signal: AbortSignal
  memory: Memory
  /** Stands for a number or a text of a patient wherever something must be recognised by it: in memory, in identifiers, in keys. */
  digest: Digest
  /** Ask it right before every request that changes the system: throws when this run may not act any more, since another may be at work on the resource. */
  assertMayAct(this: void): void
  /** Milliseconds for which nobody else can be at work on the resource: a request that changes the system must not take longer. */
  remainingMs(this: void): number
  /**
   * Says that a request goes to the system now, of a kind such as `PUT /Task` that names no resource. Call `answered` once the system has taken it, and not for a refusal: only that shows that the system is
   * back where it was away, a call that merely returns does not. Throws `SystemDown` while the system refuses requests of this kind: send nothing then.
   */
  beginRequest(this: void, kind: string): { answered(this: void): void }
  /** Notes in the audit trail what a write left in the system. Throws `ReceiptUnusable`. */
  wrote(this: void, receipt: Receipt): void
  /** Notes that something of this type was not written, since the system does not take it (`everyType`: it takes nothing), and why, in half a sentence of the connector's own: `pawl status` says it, and `pawl ehr backfill` has it written later. */
  leftOut(this: void, left: { type: string; reason: string }): void
}

/** A run that leaves no trace, as a system sees it. `memory` begins with what the ledger remembers, and what is written to it is gone after the run; `wrote` is told what would be written. */
export interface RehearsalContext extends RunContext {
  /** Says that only the system itself could tell whether a resource of this type would be written. */
  cannotTell(this: void, type: string): void
}

/** What `check` found out, one line each. */
export interface CheckReport {
  /** Whether the system can be used as it is configured. */
  ok: boolean
  findings: readonly string[]
  /** Those of the findings that keep it from being used; absent: where it is not ok, all of them. */
  faults?: readonly string[]
}

/** What a check may try on top. */
export interface CheckSample {
  /** A patient's number, as the service's requests carry it. */
  patient?: string | undefined
  /** Whether to write something for that patient and take it back. */
  write?: boolean | undefined
}

/** Whether a finding of a report keeps the system from being used. */
export function isFault({ ok, faults }: CheckReport, finding: string): boolean {
  return !ok && (faults === undefined || faults.includes(finding))
}

/** A system that handlers write to. Breaker, outages, audit trail, metrics and `pawl status` know it by the name under which the integration lists it. */
export interface System<Port extends object> {
  /** Called for each run, so that a port knows for whom it works. All methods of a port are asynchronous; it may be an instance of a class. */
  open(run: RunContext): Port
  /** As `open`, for `pawl replay --dry-run`: the port sends nothing that changes the system, and goes by what `memory` says that the system holds. Its methods throw `NotRehearsable` where only the system could tell how to go on. Without it calls are noted, and not made. */
  rehearse?(run: RehearsalContext): Port
  /** Says, before the first patient, what will be done and what is wrong with address, credentials or capabilities. Changes nothing, unless the sample says so. */
  check?(signal: AbortSignal, sample?: CheckSample): Promise<CheckReport>
  /** The types that it takes now, asked anew: what was left out of them can be written. Throws what asking throws. */
  takes?(): Promise<readonly string[]>
  /** The role under which `memory` says who the patient of a resource is there: what "pawl ehr forget-patient" forgets. */
  patientRole?: string
  /** Releases connections; called once, after the last run. */
  close?(): Promise<void>
  /** Keys that the system verifies pawl's signatures with, without private parts: served at `/.well-known/jwks.json` on the public listener, also by a process that never opens the system. */
  publicKeys?(): readonly JWK[]
  /** Where a person can look at what a write left there; absent where there is no such address.. */
  link?(receipt: Receipt): string | undefined
  /** What an operator must know from the start, such as a setting that is missing: a fixed sentence, logged once. */
  notice?: string
}

/** The systems of an integration by name: their breaker, audit trail, metrics and status go by it. */
export type SystemsByName = Readonly<Record<string, System<object>>>
