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
  | 'differs'
  | 'target'
  | 'audit_head'

/** Where alerts can be sent. */
export const alertTargets = ['url', 'email'] as const
export type AlertTargetName = (typeof alertTargets)[number]

/** Identity of an alert: only one with the same key can be open. */
export interface AlertKey {
  kind: AlertKind
  /** Codes and names only, such as a handler, a space and an error code. */
  subject: string
}

/** A problem that a process detects now. */
export interface FoundAlert extends AlertKey {
  /** From 0 to 100; an open alert never goes back to a lower one, and begins anew at a higher one. */
  level: number
  /** Extent, in the unit of its kind. */
  count: number
  /** One of the resources concerned. */
  resourceId?: string | undefined
  /** The newest error of a system, and the HTTP status of its answer. */
  errorCode?: string | undefined
  httpStatus?: number | undefined
  /** When the oldest of it began, if the ledger knows that at any time. */
  beganAt?: number | undefined
  /** Otherwise how long it has lasted, as far as this process knows, in milliseconds. */
  forMs?: number | undefined
  /** How long ago it was last evident, in milliseconds; 0 if absent. */
  lastAgoMs?: number | undefined
  /** Whether an open alert is reported again as `count` reaches 10, 100 and 1,000. */
  tellsGrowth?: boolean
  /** Whether it can open an alert, or only keep one open. */
  opens: boolean
  /** Over: ends an open alert at once. */
  isOver?: boolean
  /** Recorded as an alert already over, unless one of its kind was open within this time. Milliseconds. */
  noticeEveryMs?: number
}

/** One alert, open or closed. */
export interface AlertRecord extends AlertKey {
  id: number
  level: number
  count: number
  /** The highest count at this level. */
  most: number
  resourceId: string | undefined
  errorCode: string | undefined
  httpStatus: number | undefined
  /** When the problem began; if unknown, when the alert opened. */
  beganAt: number
  openedAt: number
  /** When it opened or grew. */
  changedAt: number
  /** When it was last evident; absent while it is open. */
  closedAt: number | undefined
  /** Incremented each time a process finds it still true. */
  seen: number
}

/** An alert whose newest step a target was not told. */
export interface UntoldAlert extends AlertRecord {
  /** Incremented when it opens, grows and closes. */
  step: number
  /** The step that the target was told; 0: none. */
  told: number
}

/** State of an alert target. */
export interface AlertTargetRecord {
  name: AlertTargetName
  /** Consecutive failed attempts. */
  failures: number
  /** How long they have been failing, in milliseconds. */
  failingForMs: number | undefined
  /** Why the last one failed. */
  errorCode: string | undefined
  /** Milliseconds since the last message sent. */
  sentAgoMs: number | undefined
  /** Alerts whose newest step it was not told. */
  waiting: number
}

/** The right to send one message to a target, until the lease ends. */
export interface AlertTurn {
  /** Oldest first; max 500. */
  alerts: UntoldAlert[]
  /** Consecutive failed attempts. */
  failures: number
}

/** Result of a turn: the steps told, or the error. Either way the target is left alone for `restMs`. */
export type AlertTurnEnd = { restMs: number } & (
  { told: readonly Pick<UntoldAlert, 'id' | 'step'>[] } | { errorCode: string }
)

/** A request for a turn. */
export interface AlertTurnWanted {
  owner: string
  /** Lease of the turn, in milliseconds. */
  leaseMs: number
  /** The longest rest ever set, in milliseconds. */
  maxRestMs: number
  /** The rest after a message, in milliseconds. An alert that opens does not wait for it, unless it flaps or is one of a flood. */
  restMs: number
}
