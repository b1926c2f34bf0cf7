import type { Generated } from 'kysely'
import type { IdentifierField } from '../service/schemas/identifiers.ts'
import type { AlertKind, AlertNews } from './alerts/alert-records.ts'
import type { Actor, AuditAction, AuthMethod } from './audit/audit-entry.ts'
import type { DriftKind } from '../service/schemas/drift.ts'
import type { ResourceKind } from '../service/schemas/kinds.ts'
import type { Result } from '../service/schemas/outcome-facts.ts'

/** Where an event came from; `api` stands for a resource that pawl created itself. */
export type EventSource = 'webhook' | 'poll' | 'api' | 'cli'

/** How one handler stands with one resource. */
export type ProgressState = 'synced' | 'due' | 'parked'

/** The ledger's tables. Times are milliseconds since 1970; bodies and snapshots are sealed bytes (see seal.ts). */
export interface Tables {
  /** One accepted, de-duplicated envelope. */
  events: {
    id: Generated<number>
    /** Empty where the envelope had no usable `data.id`. */
    resource_id: string
    /** Absent where no handler can follow it: an unknown event type, or no `data.id`. */
    kind: ResourceKind | null
    event_type: string
    /** SHA-256 of the raw body. */
    fingerprint: Uint8Array
    /** The envelope's own `event_id`, where it has one. */
    event_key: string | null
    /** Empty once it was kept for long enough, where the work that it told of is still to be done. */
    body: Uint8Array
    /** Under which the body is in the store of bodies; where it is, `body` is empty. */
    received_at: number
    /** How many copies came after it. */
    repeats: Generated<number>
    source: EventSource
    /** Of the span in which it was received (W3C Trace Context); absent where nothing was traced. */
    traceparent: string | null
  }
  /** One PA, BV or outreach attempt that pawl knows of. */
  resources: {
    id: string
    kind: ResourceKind
    first_event_at: number
    /** No event of it has a lower number. */
    first_event_id: number
    newest_event_id: number
    snapshot: Uint8Array | null
    /** The newest event when the snapshot's GET began: it is current while nothing newer was stored. */
    snapshot_event_id: number | null
    snapshot_at: number | null
    terminal: number
    /** GETs spent on it. */
    reads: Generated<number>
    next_poll_at: number | null
    /** Somebody asked to have it polled, and it was not read since: not tried yet, or tried in vain. */
    reconcile: 'asked' | 'failed' | null
    /** When there is work to do; null when every handler is synced or parked. */
    due_at: number | null
    /** It was worked on just now: what is stored before this time waits for it, so that a burst costs one run. */
    rest_until: number | null
    claim_owner: string | null
    claim_until: number | null
    /** Nothing else was in work in the process that claimed it. */
    claim_alone: Generated<number>
    /** A claim on it was never given back, and none was given back since. */
    suspect: Generated<number>
    /** Claims in a row that were never given back although nothing else was in work beside them. */
    claims_lost: Generated<number>
    /** JSON array of the changes that pawl itself asked the service for lately; absent: none. */
    own_changes: string | null
    /** How often parked work of it was retried: whoever gives it back sees whether that happened meanwhile. */
    retries: Generated<number>
    /** Digest of all that `lookups` holds of it, so that a snapshot with the same numbers writes none. */
    lookup_mark: string | null
    /** Why it waits for a person, as a code of `service/schemas/waits-for-people.ts`; absent where it does not. */
    waits_for: Generated<string | null>
    /** Since when it waits for that. */
    waits_since: Generated<number | null>
    /** The resource that this one was sent in place of: that one waits for nobody any more. */
    follows_up: Generated<string | null>
  }
  /** How far one handler is with one resource. */
  progress: {
    resource_id: string
    handler: string
    state: ProgressState
    handled_event_id: number
    /** The newest event that the last run saw: a parked handler is tried afresh once a newer one arrives. */
    tried_event_id: number
    /** The snapshot it last succeeded with. */
    baseline: Uint8Array | null
    /** When the baseline was read. */
    baseline_at: number | null
    /** The snapshots of the runs that failed since, as a JSON array: what they told other systems before they failed, nobody knows. */
    tried: Uint8Array | null
    attempts: number
    due_at: number | null
    error_code: string | null
    error_message: string | null
    /** The system that the last run failed at; empty where it was none, or nobody knows. */
    error_system: Generated<string>
    /** The number of the run that failed last, in `attempts`: it tells what failed since somebody looked. */
    failure_id: Generated<number>
    /** Since when it is parked, where it is. */
    parked_at: number | null
    /** When the first event was stored of work that waits for a hold or an absent system; absent where it waits for neither. */
    waits_since: Generated<number | null>
  }
  /** One run of a handler on a resource: the audit trail. */
  attempts: {
    id: Generated<number>
    resource_id: string
    handler: string
    started_at: number
    finished_at: number
    result: 'succeeded' | 'failed' | 'parked' | 'discarded'
    error_code: string | null
    error_message: string | null
    /** When it was to be tried again, where it was. */
    next_at: number | null
    first_event_id: number
    last_event_id: number
    /** JSON array of write receipts: system, type, id. */
    writes: string
  }
  /** One snapshot that differs from the one before. */
  transitions: {
    id: Generated<number>
    resource_id: string
    /** The newest event when it was read. */
    event_id: number
    at: number
    /** JSON array of `FieldChange`: paths of fields, values of codes alone. */
    changes: string
  }
  /** How one PA or BV goes and came out, for the report: it outlives the snapshot. */
  outcomes: {
    /** Of the resource, until it has ended and its snapshot goes; a random one from then on. */
    resource_id: string
    kind: ResourceKind
    /** When its first event was stored. */
    heard_at: number
    /** It was known before anything could have been decided: its times tell how long it took. */
    from_start: number
    status: string
    status_at: number
    /** When it was first seen to be with the payer. */
    submitted_at: number | null
    /** When it came to a terminal status; absent where that is not known. */
    ended_at: number | null
    result: Result | null
    reason: string | null
    is_appeal: number
    transfer_status: string | null
    transfer_started_at: number | null
    transfer_ended_at: number | null
    /** How long it waited for the practice and for the provider, in milliseconds, without the present status. */
    practice_ms: number
    provider_ms: number
    /** `OutcomeFacts.groups` as sealed JSON. */
    groups: Uint8Array
  }
  /** One number under which a resource is found, without the number (see lookups.ts). */
  lookups: {
    resource_id: string
    field: IdentifierField
    digest: string
  }
  /** Effects that `once` remembers. */
  effects: {
    resource_id: string
    handler: string
    key: string
    done_at: number
    /** What the effect returned, as sealed JSON; absent where it returned nothing, and once it was kept for long enough. */
    value: Uint8Array | null
  }
  /** Effects that were begun, and whose end nobody saw yet; recorded as done, an effect leaves this table. */
  begun_effects: {
    resource_id: string
    handler: string
    key: string
    begun_at: number
  }
  /** What a connector remembers of one resource under a role of its own: how it finds again what it wrote. */
  memory: {
    system: string
    resource_id: string
    role: string
    foreign_id: string
    version: string | null
    digest: string | null
    written_at: number
  }
  /** What a connector remembers in one place for all resources of a system, and the claim that took it last. */
  shared_memory: {
    system: string
    role: string
    foreign_id: string | null
    version: string | null
    digest: string | null
    /** The resource of that claim, and its owner: while it is held, nobody else may have the place. */
    holder_id: string
    holder_owner: string
  }
  /** A type that was not written to a system for a resource, since the system does not take it; `*` where it takes nothing. */
  left_out: {
    resource_id: string
    system: string
    type: string
    reason: string
    at: number
  }
  /** One system that some process found away. */
  outages: {
    system: string
    until: number
  }
  /** What somebody paused: everything, a handler or a system. */
  holds: {
    kind: 'all' | 'handler' | 'system'
    name: string
    since: number
    reason: string | null
  }
  /** Resources that are worked on whatever is paused, until nothing is paused any more. */
  let_through: {
    resource_id: string
    at: number
  }
  /** One thing that somebody did, chained to the one before (see audit.ts): never changed, never deleted. */
  audit: {
    /** Without gaps. */
    id: number
    at: number
    actor: string
    via: Actor['via'] | `${Actor['via']}:${AuthMethod}`
    action: AuditAction
    resource_id: string | null
    handler: string | null
    reason: string | null
    /** JSON of ids, codes and numbers. */
    details: string
    /** The hash of the row before. */
    previous: string
    hash: string
    /** Of the hash; absent where there was no key. */
    signature: string | null
  }
  /** The end of the audit trail: one row, so that one that was cut off is missed. */
  audit_head: {
    name: 'head'
    last_id: number
    hash: string
    signature: string | null
  }
  /** The key of all digests, sealed: one row. */
  digest_key: {
    name: 'digest'
    stored: Uint8Array
    /** Signs `stored` together with the first row of the audit trail: neither can be exchanged alone. Null without sealing keys. */
    bound: string | null
  }
  /** One thing that the catalogue does not know: a name or a code. One row has the kind `left_out`, and counts what there was no room for. */
  drift: {
    kind: DriftKind | 'left_out'
    /** Of kind, name and value under a key of the seal: it tells rows apart, and says nothing. */
    digest: string
    /** Name and value as sealed JSON: the service chooses both freely. Empty of what was left out. */
    what: Uint8Array
    first_at: number
    last_at: number
    seen: number
    /** The last resource that had it; empty where it was none. */
    resource_id: string
  }
  /** One refused delivery, without its body. */
  rejections: {
    id: Generated<number>
    reason: string
    bytes: number
    rejected_at: number
  }
  /** One alert, open or over. */
  alerts: {
    id: Generated<number>
    kind: AlertKind
    subject: string
    level: number
    count: number
    resource_id: string | null
    /** Codes and names alone, such as the newest error of a system. */
    detail: Generated<string | null>
    opened_at: number
    /** When what it is about began, where that is known: before it opened. */
    began_at: Generated<number | null>
    /** When it opened or escalated. */
    changed_at: number
    closed_at: number | null
    /** Grows each time that a process finds it to be still true: by it one sees whether another does. */
    seen: number
  }
  /** One step in the life of an alert, which targets are to hear of. */
  alert_news: {
    id: Generated<number>
    alert_id: number
    change: AlertNews['change']
    level: number
    count: number
    at: number
  }
  /** One target of alerts, and how far it has heard. */
  alert_targets: {
    name: string
    /** The last step that it heard of. */
    cursor: number
    /** Who sends to it now, and until when at the most. */
    claim_owner: string | null
    claim_until: number | null
    failures: number
    failing_since: number | null
    error_code: string | null
    next_at: number | null
    /** JSON array of when it took a message, in the last hour. */
    sent_times: string
  }
  /** When a task of upkeep was done last. */
  upkeep: {
    task: string
    done_at: number
  }
}
