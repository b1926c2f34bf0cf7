/** What an alert may be about. */
export type AlertKind =
  | 'work'
  | 'work_at_system'
  | 'work_before_handlers'
  | 'oldest_due'
  | 'paused'
  | 'refused'
  | 'turned_away'
  | 'away'
  | 'queue'
  | 'audit'
  | 'budget'
  | 'retention'
  | 'backup'
  | 'target'

/** What tells one alert from another: while one is open, there is no second of the same. */
export interface AlertKey {
  kind: AlertKind
  /** Codes and names alone, such as a handler, a space and an error code. */
  subject: string
}

/** What a process finds to be wrong now. */
export interface FoundAlert extends AlertKey {
  /** From 0 to 100; an open alert never goes back to a lower one. */
  level: number
  /** How much is concerned, in the unit of its kind. */
  count: number
  /** One of the resources concerned. */
  resourceId?: string | undefined
  /** Codes and names alone, such as the newest error of a system. */
  detail?: string | undefined
  /** For how long it has been so, in milliseconds, where that is known. */
  forMs?: number | undefined
  /** Whether an open alert is told of again as `count` reaches 10, 100 and 1,000. */
  tellsGrowth?: boolean
  /** Whether it is enough to open an alert; else it only keeps one open. */
  opens: boolean
}

/** One alert, open or over. */
export interface AlertRecord extends AlertKey {
  id: number
  level: number
  count: number
  resourceId: string | undefined
  detail: string | undefined
  /** When what it is about began: when it opened, where that is not known. */
  beganAt: number
  openedAt: number
  /** When it opened or escalated. */
  changedAt: number
  /** Absent while it is open. */
  closedAt: number | undefined
  /** Grows each time that a process finds it to be still true. */
  seen: number
}

/** One step in the life of an alert, which targets are to hear of. */
export interface AlertNews {
  id: number
  change: 'opened' | 'escalated' | 'recovered'
  /** Of the alert at that time. */
  level: number
  count: number
  at: number
  alert: AlertRecord
}

/** How a target of alerts stands. */
export interface AlertTargetRecord {
  name: string
  /** Attempts that failed since the last one that did not. */
  failures: number
  /** For how long they have failed, in milliseconds. */
  failingForMs: number | undefined
  /** Why the last one failed. */
  errorCode: string | undefined
  /** For how long the last message that it took is past, in milliseconds. */
  sentAgoMs: number | undefined
  /** Steps that it has not heard of; 1,000 are counted at the most. */
  waiting: number
}

/** The right to send one message to a target, until the lease ends. */
export interface AlertTurn {
  owner: string
  /** What the target has not heard of, the oldest first; 1,000 at the most. */
  news: AlertNews[]
  /** Messages that it took within the last hour. */
  sentLastHour: number
  /** Attempts that failed since the last one that did not. */
  failures: number
}

/** How a turn ended: the target took all up to a step, or it is to be tried again. */
export type AlertTurnEnd = { sentUpTo: number } | { errorCode: string; retryInMs: number }

/** Who wants a turn, and on which terms. */
export interface AlertTurnWanted {
  owner: string
  /** How long the turn is his if he never ends it. */
  leaseMs: number
  /** The longest wait that anybody sets. */
  maxWaitMs: number
  /** No turn is given once the target took so many messages within an hour. */
  maxPerHour: number
}
