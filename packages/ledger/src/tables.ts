import type { TallyName } from './views/tally-of-time.ts'
import type { Generated } from 'kysely'
import type { IdentifierField } from 'pawl-client/schemas/identifier-fields'
import type { AlertKind, AlertTargetName } from './alerts/alert-records.ts'
import type { Actor, AuditAction, AuthMethod } from './audit/audit-entry.ts'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import type { StartedKind } from 'pawl-client/schemas/request-draft'
import type { Result } from 'pawl-client/schemas/outcome-course'

/** Sources of events; `api`: pawl itself created the resource. */
export const eventSources = ['webhook', 'poll', 'api', 'cli'] as const
export type EventSource = (typeof eventSources)[number]

/** States of one handler on one resource. */
export const progressStates = ['synced', 'due', 'parked'] as const
export type ProgressState = (typeof progressStates)[number]

/** Results of a handler's run. */
export const runResults = ['succeeded', 'failed', 'parked'] as const
export type RunResult = (typeof runResults)[number]

/** Results as counted and shown: a run that could only wait has not failed. */
export const shownResults = [...runResults, 'waited'] as const
export type ShownResult = (typeof shownResults)[number]

/** Results in the journal; `discarded`: given up by a person, in place of a run. */
export const attemptResults = [...runResults, 'discarded'] as const
export type AttemptResult = (typeof attemptResults)[number]

/** What is derived from the journal, or another table that only grows, beside the work (see projections/sources.ts). */
export const projectionNames = ['lookups', 'outcomes', 'runs', 'deliveries', 'refusals'] as const
export type ProjectionName = (typeof projectionNames)[number]

/** The ledger's tables. Times are milliseconds since 1970; bodies and snapshots are sealed bytes (see seal.ts). */
export interface Tables {
  /** One accepted, de-duplicated envelope. */
  events: {
    id: Generated<number>
    /** `resources.number`; `strayNumberOf` its resource for an event that no handler can follow. */
    resource: number
    /** The resource's event before it; null for its first one, and for one under a stray number. */
    previous: number | null
    /** Empty if the envelope had no usable `data.id`. */
    resource_id: string
    /** Null if no handler can follow it: an unknown event type, or no `data.id`. */
    kind: ResourceKind | null
    event_type: string
    /** Keyed SHA-256 (HMAC) of the raw body (see digest-key.ts). */
    fingerprint: Uint8Array
    /** The envelope's own `event_id`, if any. */
    event_key: string | null
    /** Emptied after its retention while the event's work is still to be done. */
    body: Uint8Array
    received_at: number
    /** Number of copies received after it. */
    repeats: Generated<number>
    source: EventSource
    /** Span in which it was received (W3C Trace Context); null where tracing was off. */
    traceparent: string | null
  }
  /** Leads to an event that its resource's heads do not tell: the newest webhook of a type that no handler follows (`type:`), or the event with an `event_id` (`key:`). */
  event_marks: {
    mark: string
    /** As in `events.resource`. */
    resource: number
    event_id: number
    /** Set for a type. */
    fingerprint: Uint8Array | null
  }
  /** One known PA, BV or outreach attempt. */
  resources: {
    /** The id of its first event, by which other tables refer to it: ascending numbers keep new rows together. */
    number: number
    /** Its id at the service. */
    id: string
    kind: ResourceKind
    first_event_at: number
    newest_event_id: number
    /** What identifies copies of its newest events, as JSON (see hot/heads.ts). */
    heads: string
    /** The newest event when the snapshot's GET began: the snapshot is current until a newer event is stored. */
    snapshot_event_id: number | null
    terminal: number
    /** Its newest row in `journal`. */
    journal_id: number | null
    /** GETs spent on it. */
    reads: Generated<number>
    next_poll_at: number | null
    /** Its poll was requested, and not tried yet (`asked`), or could not be read (`failed`). */
    reconcile: 'asked' | 'failed' | null
    /** Its `next_poll_at` before the poll was requested; meaningless unless `reconcile` is `asked`. */
    former_poll_at: number | null
    /** When there is work to do; null when every handler is synced or parked. */
    due_at: number | null
    /** After a run, events stored before this time wait for it, so that a burst costs one run. */
    rest_until: number | null
    claim_owner: string | null
    claim_until: number | null
    /** Whether nothing else was in work in the process that claimed it. */
    claim_alone: Generated<number>
    /** Whether an earlier claim was never given back, and none was since. */
    suspect: Generated<number>
    /** Consecutive claims never given back, with nothing else in work beside them. */
    claims_lost: Generated<number>
    /** JSON array of the changes that pawl itself lately requested from the service; null: none. */
    own_changes: string | null
    /** Number of retries of its parked work: a release sees whether one happened during the claim. */
    retries: Generated<number>
    /** Why it waits for a person, as a code of `service/schemas/waits-for-people.ts`; null if it does not. */
    waits_for: Generated<string | null>
    /** When its wait for a person, for that reason, began. */
    person_since: Generated<number | null>
    /** The resource that this one replaces, which then waits for no person. */
    follows_up: Generated<string | null>
  }
  /** A resource's state: written by one release, in one row. */
  states: {
    resource: number
    /** Progress of its handlers, and connectors' memory of it, as JSON (see hot/state-document.ts): ids and digests, no content. */
    document: string
    /** Incremented with each new snapshot: handlers name their baselines by it. */
    version: number
    /** The `data` object of the newest GET, verbatim; null before the first one, and after its retention. */
    snapshot: Uint8Array | null
    /** `SnapshotIdentity` of the snapshot as sealed JSON, for projections; null without a snapshot, and if it names nothing. */
    identity: Uint8Array | null
    /** When the snapshot was stored, or last read again unchanged; null without one. */
    read_at: number | null
  }
  /** An earlier snapshot that a handler still compares with, stored once for all that refer to it. */
  baselines: {
    resource: number
    /** As in `states`. */
    version: number
    snapshot: Uint8Array
    read_at: number
  }
  /** A handler that is not in sync with a resource: its last run failed, or a retry was requested since. */
  work: {
    resource: number
    handler: string
    state: Exclude<ProgressState, 'synced'>
    /** The newest event seen by the last run: a newer one makes a parked handler run again. */
    tried_event_id: number
    attempts: number
    due_at: number | null
    error_code: string | null
    error_message: string | null
    /** HTTP status of the answer, if there was one. */
    error_status: Generated<number | null>
    /** The system that the last run failed at; empty if none or unknown. */
    error_system: Generated<string>
    /** The row of `journal` with the last failed run: orders failures in time. */
    failure_id: Generated<number>
    /** When that run ended, and the first event that it covered. */
    failed_at: number
    first_event_id: number
    /** When the first run failed since the last success. */
    failing_since: number
    /** When it was parked; null if it is not. */
    parked_at: number | null
    /** When the first event of work waiting for a pause or an absent system was stored; null if it waits for neither. */
    waits_since: Generated<number | null>
  }
  /** The records of one commit about a resource: its handlers' runs, and how a snapshot differs from the one before. */
  journal: {
    id: Generated<number>
    resource: number
    /** The resource's row before it. */
    previous: number | null
    at: number
    /** `JournalEntry` as JSON (see hot/journal-rows.ts). */
    entry: string
  }
  /** Course and outcome of one PA or BV, for the report, projected from the journal; outlives the snapshot. */
  outcomes: {
    /** Number of the resource; a random one below zero once it has ended and its snapshot is gone. */
    resource: number
    kind: ResourceKind
    /** When its first event was stored. */
    heard_at: number
    /** Known before any decision could have been made: its times tell how long it took. */
    from_start: number
    status: string
    status_at: number
    /** When it was first seen to be with the payer. */
    submitted_at: number | null
    /** When it reached a terminal status; null if unknown. */
    ended_at: number | null
    result: Result | null
    reason: string | null
    is_appeal: number
    is_urgent: number
    transfer_status: string | null
    transfer_started_at: number | null
    transfer_ended_at: number | null
    /** How long it waited for the practice and for the provider, in milliseconds, without the current status. */
    practice_ms: number
    provider_ms: number
    /** `OutcomeFacts.groups` of the newest snapshot, as sealed JSON. */
    groups: Uint8Array
  }
  /** Digest of one number by which a resource is found, projected from the journal (see projections/lookups.ts). */
  lookups: {
    resource: number
    field: IdentifierField
    digest: string
  }
  /** Effects recorded by `once`. */
  effects: {
    resource: number
    handler: string
    key: string
    done_at: number
    /** Result of the effect, as sealed JSON; null if it returned nothing, or after its retention. */
    value: Uint8Array | null
  }
  /** Effects begun without a recorded end; a completed effect leaves this table. */
  begun_effects: {
    resource: number
    handler: string
    key: string
    begun_at: number
  }
  /** One notice of the feed that pharmacies read, in the order of its numbers (see feed/create-feed.ts). */
  feed: {
    /** Milliseconds since 1970, or one more than the last: never below a number that was ever given out. */
    id: number
    resource_id: string
    notice_id: string
    /** NCPDP id of the pharmacy that may read it. */
    reader: string
    /** The sealed notice; empty once it is gone. */
    body: Uint8Array
    at: number
    /** When it was first handed out. */
    read_at: number | null
    acknowledged_at: number | null
    /** The name of the pharmacy in PHARMACY_FEED_KEYS. */
    acknowledged_by: string | null
    /** `purged`: the last of its reader's notices that retention deleted. */
    gone: 'erased' | 'purged' | null
  }
  /** Requests started from a prescription of a chart, so that none is sent twice. */
  starts: {
    /** The chart's own name of it, such as `MedicationRequest/123`. */
    prescription: string
    kind: StartedKind
    begun_at: number
    /** The created resource; null until the service answered. */
    resource_id: string | null
  }
  /** A handler's own memory under a role; the newest counts, of any resource. */
  handler_memory: {
    handler: string
    role: string
    resource: number
    value: string
    written_at: number
  }
  /** A connector's memory shared by all resources of a system, and the claim that locked it last. */
  shared_memory: {
    system: string
    role: string
    foreign_id: string | null
    version: string | null
    digest: string | null
    /** Resource and owner of that claim: while it is held, no other claim may lock the memory. */
    holder_id: string
    holder_owner: string
  }
  /** A type of write that a system does not support, skipped for a resource; `*` if the system takes no writes. */
  left_out: {
    resource: number
    system: string
    type: string
    reason: string
    at: number
    /** When a person saw to the file, if it is one. */
    done_at: number | null
  }
  /** A process that works on this ledger, on PostgreSQL: one whose lock is free has died (see postgres/session-lock.ts). */
  processes: {
    name: string
  }
  /** One system found away by some process. */
  outages: {
    system: string
    until: number
    /** When a person last requested an immediate probe. */
    asked_at: number | null
  }
  /** A pause by a person: of all work, a handler or a system. */
  pauses: {
    kind: 'all' | 'handler' | 'system'
    name: string
    since: number
    reason: string | null
  }
  /** One act, chained to the previous one (see audit.ts): never changed, never deleted. */
  audit: {
    /** Without gaps. */
    id: number
    at: number
    actor: string
    via: Actor['via'] | `${Actor['via']}:${AuthMethod}`
    /** The actor's account at an identity provider. */
    issuer: string | null
    subject: string | null
    action: AuditAction
    resource_id: string | null
    handler: string | null
    reason: string | null
    /** JSON of ids, codes and numbers. */
    details: string
    /** The hash of the previous row. */
    previous: string
    hash: string
    /** Signature of the hash; null without a key. */
    signature: string | null
  }
  /** The end of the audit trail: one row, so that a cut-off end is detected. */
  audit_head: {
    name: 'head'
    last_id: number
    hash: string
    signature: string | null
  }
  /** A session of the console that was ended before its time. */
  ended_sessions: {
    id: string
    /** When its cookie expires, in seconds of the sessions' time. */
    until: number
  }
  /** The latest session time, in seconds: one row, so that a clock set back revives no session. */
  session_time: {
    name: 'latest'
    at: number
  }
  /** The key of all digests, sealed: one row. */
  digest_key: {
    name: 'digest'
    stored: Uint8Array
    /** Signs `stored` together with the first row of the audit trail: neither can be replaced alone. Null without sealing keys. */
    bound: string | null
  }
  /** One refused delivery, without its body. */
  rejections: {
    id: Generated<number>
    reason: string
    bytes: number
    rejected_at: number
  }
  /** One alert, open or closed. */
  alerts: {
    id: Generated<number>
    kind: AlertKind
    subject: string
    level: number
    count: number
    /** The highest count at this level. */
    most: number
    resource_id: string | null
    error_code: string | null
    http_status: number | null
    opened_at: number
    /** When the problem began, if known: before the alert opened. */
    began_at: number
    /** When it opened or grew. */
    changed_at: number
    closed_at: number | null
    /** When it was last evident; null before the first release that records it. */
    seen_at: number | null
    /** Incremented each time a process finds it still true, which other processes can see. */
    seen: number
    /** Incremented when it opens, grows and closes; then the step that each target was told. */
    step: number
    told_url: number
    told_email: number
  }
  /** One alert target. */
  alert_targets: {
    name: AlertTargetName
    /** The process that sends now. */
    claim_owner: Generated<string | null>
    failures: number
    failing_since: Generated<number | null>
    error_code: Generated<string | null>
    /** The end of the lease, or of the rest after a message or a failure. */
    next_at: number
    sent_at: Generated<number | null>
  }
  /** One count or peak of one minute or hour, which `at` begins. */
  tallies: {
    span: 'minute' | 'hour'
    at: number
    name: TallyName
    value: number
  }
  /** The cursor of a projection: the last row of its source that it has read. */
  projections: {
    name: ProjectionName
    last_id: number
    /** Of `deliveries`: how many of the events up to it are stored. */
    stored: Generated<number>
  }
  /** When an upkeep task was last done. */
  upkeep: {
    task: string
    done_at: number
  }
}
