/** Subjects of alerts. */
export type AlertKind =
  | 'work'
  | 'work_at_system'
  | 'work_before_handlers'
  | 'oldest_due'
  | 'paused'
  | 'unacknowledged'
  | 'refused'
  | 'turned_away'
  | 'away'
  | 'refuses'
  | 'queue'
  | 'audit'
  | 'budget'
  | 'retention'
  | 'backup'
  | 'target'
  | 'audit_head'

/** Identity of an alert: only one with the same key can be open. */
export interface AlertKey {
  kind: AlertKind
  /** Codes and names only, such as a handler, a space and an error code. */
  subject: string
}

/** A problem that a process detects now. */
export interface FoundAlert extends AlertKey {
  /** From 0 to 100; an open alert never goes back to a lower one. */
  level: number
  /** Extent, in the unit of its kind. */
  count: number
  /** One of the resources concerned. */
  resourceId?: string | undefined
  /** Codes and names only, such as the newest error of a system. */
  detail?: string | undefined
  /** How long it has lasted, in milliseconds, if known. */
  forMs?: number | undefined
  /** Whether an open alert is reported again as `count` reaches 10, 100 and 1,000. */
  tellsGrowth?: boolean
  /** Whether it can open an alert, or only keep one open. */
  opens: boolean
  /** No problem but a notice: recorded as an alert already over, unless one of its kind was within this time. Milliseconds. */
  noticeEveryMs?: number
}

/** One alert, open or closed. */
export interface AlertRecord extends AlertKey {
  id: number
  level: number
  count: number
  resourceId: string | undefined
  detail: string | undefined
  /** When the problem began; if unknown, when the alert opened. */
  beganAt: number
  openedAt: number
  /** When it opened or escalated. */
  changedAt: number
  /** Absent while it is open. */
  closedAt: number | undefined
  /** Incremented each time a process finds it still true. */
  seen: number
}

/** A step of an alert, to be sent to targets. */
export interface AlertNews {
  id: number
  change: 'opened' | 'escalated' | 'recovered' | 'notice'
  /** Values of the alert at that step. */
  level: number
  count: number
  at: number
  alert: AlertRecord
}

/** State of an alert target. */
export interface AlertTargetRecord {
  name: string
  /** Consecutive failed attempts. */
  failures: number
  /** How long they have been failing, in milliseconds. */
  failingForMs: number | undefined
  /** Why the last one failed. */
  errorCode: string | undefined
  /** Milliseconds since the last message sent. */
  sentAgoMs: number | undefined
  /** Steps not sent yet, capped at 1,000. */
  waiting: number
}

/** The right to send one message to a target, until the lease ends. */
export interface AlertTurn {
  owner: string
  /** Steps not sent yet, oldest first; max 1,000. */
  news: AlertNews[]
  /** Messages sent within the last hour. */
  sentLastHour: number
  /** Consecutive failed attempts. */
  failures: number
}

/** Result of a turn: sent up to a step, or to be retried. */
export type AlertTurnEnd = { sentUpTo: number } | { errorCode: string; retryInMs: number }

/** A request for a turn. */
export interface AlertTurnWanted {
  owner: string
  /** Lease of the turn, in milliseconds. */
  leaseMs: number
  /** The longest wait ever set, in milliseconds. */
  maxWaitMs: number
  /** No turn is given after this many messages within an hour. */
  maxPerHour: number
}
