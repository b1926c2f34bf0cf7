import type { JWK } from 'jose'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import type { DraftAsked, RequestDraft } from 'pawl-client/schemas/request-draft'
import type { Log } from '@pawl/base/log'
import type { Digest } from './digest.ts'
import type { Amendment } from '@pawl/base/amendment'
import type { FeedNotice, Mending, Remembered, Standing } from '@pawl/base/system-notes'
import type { Served, ServingDeps } from './served.ts'

/** Receipt of one write to a system: ids only, stored in the ledger as the audit trail. */
export interface Receipt {
  /** The system's own type, for example `Task`. */
  type: string
  /** The system's id, or pawl's own if the system assigns none. */
  id: string
  /** The system's own version, if it has versions. */
  version?: string | undefined
}

/** Durable notes of a connector about one resource, each under a role of its choice, by which it finds its writes again. */
export interface Memory {
  read(role: string): Promise<Remembered | undefined>
  /** Committed when it resolves, regardless of the run's outcome. Throws `ClaimLost`. */
  write(role: string, remembered: Remembered): Promise<void>
  /** Removes a note, as once the system no longer holds its record; `read` then finds none. Committed like `write`. Throws `ClaimLost`. */
  forget(role: string): Promise<void>
  /** Committed together with the run's outcome, which saves a commit; `read` returns it at once. Lost if the process is killed during the run, so use it only for facts that the system can tell again. */
  note(role: string, remembered: Remembered): void
  /** Shares a role among all resources of the system, such as the insurance of a patient with several BVs; `read` then returns the shared note. The run owns it until its claim ends. Throws `MemoryTaken` while another run owns it, and `ClaimLost`. */
  share(role: string): Promise<void>
}

export { everyType } from '@pawl/base/system-notes'

/** One run of one handler on one resource, as seen by a system. */
export interface RunContext {
  resourceId: string
  kind: ResourceKind
  /** Names the resource, the handler and the system in every line. */
  log: Log
  /** Aborts when the run's time is up, its claim is lost, or the process stops. */
  signal: AbortSignal
  memory: Memory
  /** Whether `memory` may be out of date: an earlier run failed or was never recorded, or more than the service prompted the work. A connector then compares with the system itself. */
  inDoubt?: boolean | undefined
  /** Replaces a patient's number or text in memory, identifiers and keys. */
  digest: Digest
  /** Call right before every request that changes the system. Throws when this run may no longer act, since another may have claimed the resource. */
  assertMayAct(this: void): void
  /** Milliseconds for which this run safely owns the resource: a request that changes the system must not take longer. */
  remainingMs(this: void): number
  /**
   * Call right before each request to the system, with its kind, such as `PUT /Task`, without ids. Call `answered` once the system accepted it, not after a refusal:
   * only `answered` closes the breaker, not a returned call. Throws `SystemDown` while the system refuses requests of this kind: send nothing then.
   */
  beginRequest(this: void, kind: string): { answered(this: void): void }
  /** Adds a notice to the feed, once for each id; committed when it resolves. Absent if nothing is stored. Throws `ClaimLost`. */
  publish?: ((this: void, notice: FeedNotice) => Promise<void>) | undefined
  /** Records a write in the audit trail. Throws `ReceiptUnusable`. */
  wrote(this: void, receipt: Receipt): void
  /** Records that the system does not take this type (`everyType`: it takes no type), with the reason as a clause. `pawl status` shows it, and `pawl ehr backfill` writes it later. */
  leftOut(this: void, left: { type: string; reason: string }): void
}

/** A record that the system holds, or should hold, of one resource: ids, codes and times only. */
export interface FoundRecord {
  type: string
  id: string
  is: Standing
  /** What it is, as the connector names it, such as `prior-authorization`. */
  what: string
  /** The system's code. */
  status?: string | undefined
  /** Its date or date-time in the system. */
  at?: string | undefined
  /** Its role in memory, under which it is remembered, or may be again; absent for a superfluous one. */
  role?: string | undefined
}

/** All that a system holds of one resource. */
export interface ReadBack {
  records: FoundRecord[]
  /** Types that it could not be searched for: a second or an unknown record of these would not be seen. */
  unsearched: string[]
}

/** Findings of `check`, one line each. */
export interface CheckReport {
  /** Whether the system can be used as configured. */
  ok: boolean
  findings: readonly string[]
  /** The findings that prevent its use; absent: all of them if not ok. */
  faults?: readonly string[]
}

/** Optional extras of a check. */
export interface CheckSample {
  /** A patient's number, as in requests to the service. */
  patient?: string | undefined
  /** Whether to write something for that patient and take it back. */
  write?: boolean | undefined
  /** NPI of a prescriber whom the system knows. */
  npi?: string | undefined
}

/** Whether a finding of a report prevents use of the system. */
export function isFault({ ok, faults }: CheckReport, finding: string): boolean {
  return !ok && (faults === undefined || faults.includes(finding))
}

/** A system that handlers write to, known by its name in the integration to breaker, outages, audit trail, metrics and `pawl status`. */
export interface System<Port extends object> {
  /** Called once per run, so that a port knows its run. All methods of a port are asynchronous; it may be an instance of a class. */
  open(run: RunContext): Port
  /** Reports pawl's planned acts and any fault of address, credentials or capabilities, before the first patient. Changes nothing unless `sample.write` is set. */
  check?(signal: AbortSignal, sample?: CheckSample): Promise<CheckReport>
  /** The types that the system takes now, freshly read: left-out resources of these types can be written. Throws errors of the request. */
  takes?(): Promise<readonly string[]>
  /** Reads back, freshly, all that the system holds of a resource: what is remembered by role, and what a search finds. Changes nothing. Throws errors of the request. */
  verify?(
    memory: ReadonlyMap<string, Remembered>,
    run: Pick<RunContext, 'resourceId' | 'kind' | 'digest' | 'signal'>,
  ): Promise<ReadBack>
  /** Mends one disorder under a claim: takes back what is superfluous, remembers what it had forgotten, and forgets what is missing or changed, so that the next run writes it. Throws errors of the request. */
  mend?(record: FoundRecord, run: RunContext): Promise<Mending>
  /** Time of day, `HH:MM` in the process's zone, at which what the service told since the day before is verified; absent: never. */
  verifyAt?: string | undefined
  /** Why it cannot write a resource's records as amended, a sentence; undefined: it can. Its runs find the amendment in memory under `amendmentRole`. Absent: it amends none. */
  amendFault?(amendment: Amendment): string | undefined
  /** Drafts a request to the service from one of the system's prescriptions, reading only; `undefined` without that prescription. Throws errors of the request. */
  draft?(asked: DraftAsked, signal: AbortSignal): Promise<RequestDraft | undefined>
  /** The memory role of a resource's patient, cleared by "pawl ehr forget-patient". */
  patientRole?: string
  /** The memory role of the last notice of a resource: "pawl pharmacy resend" drops its digest, and the next run tells the same state as a new one. */
  noticeRole?: string
  /** Releases connections; called once, after the last run. */
  close?(): Promise<void>
  /** Public keys by which the system verifies pawl's signatures: served at `/.well-known/jwks.json` on the public listener, also by a process that never opens the system. */
  publicKeys?(): readonly JWK[]
  /** Requests of the system to pawl, such as a read of a feed: served on the public listener, also by a process that never opens the system. */
  serve?(deps: ServingDeps): Served
  /** URL where a person can view a written resource; undefined if there is none. */
  link?(receipt: Receipt): string | undefined
  /** A fixed sentence for operators, logged once at the start, such as a missing setting. */
  notice?: string
}

/** The systems of an integration by name, which breaker, audit trail, metrics and status use. */
export type SystemsByName = Readonly<Record<string, System<object>>>
