import type { ResourceKind } from 'pawl-client/schemas/kinds'
import type { Result } from 'pawl-client/schemas/outcome-course'
import type { EventSource } from '../tables.ts'
import type { EventRecord } from '../hot/event-record.ts'
import type { WorkState } from '../hot/work-filter.ts'

/** What became of an event, the worst of its handlers first; `due`: not read from the service yet, or to be run again; `unhandled`: no handler can follow it. */
export const eventStates = ['parked', 'failing', 'waiting', 'due', 'synced', 'unhandled'] as const
export type EventState = (typeof eventStates)[number]

/** An event in a list, without its body. */
export interface EventSummary extends EventRecord {
  /** Empty if it concerns no resource. */
  resourceId: string
  kind: ResourceKind | undefined
  state: EventState
}

/** Filter for events. */
export interface EventFilter {
  resourceId?: string | undefined
  type?: string | undefined
  source?: EventSource | undefined
  /** What became of it. */
  state?: EventState | undefined
  /** Received since then. */
  since?: number | undefined
  /** Events before this one, newest first. */
  before?: number | undefined
  /** Events after this one, oldest first. */
  after?: number | undefined
}

/** A page of a list. */
export interface Page<Row, Cursor> {
  rows: Row[]
  /** Cursor of the next page; absent at the end. A page may be empty and have a next one: a filter reads a bounded number of rows per page. */
  next: Cursor | undefined
}

/** A resource in a list. */
export interface ResourceSummary {
  id: string
  kind: ResourceKind
  firstEventAt: number
  lastEventAt: number | undefined
  /** As the service last returned it, some moments after its read; none for an outreach attempt, nor once its content is gone. */
  status: string | undefined
  /** Once it has ended. */
  result: Result | undefined
  terminal: boolean
  dueAt: number | undefined
  isClaimed: boolean
  /** Handlers that failed and will be retried. */
  failing: number
  /** Handlers that wait for a pause or an absent system. */
  waiting: number
  /** Parked handlers. */
  parked: number
}

/** Filter for resources; all fields given must match. */
export interface ResourceFilter {
  kind?: ResourceKind | undefined
  /** Resources with such work. */
  state?: WorkState | 'due' | undefined
}

/** Cursor: the last resource read. */
export type ResourceCursor = Pick<ResourceSummary, 'firstEventAt' | 'id'>

/** One refused delivery. */
export interface RejectionRecord {
  id: number
  reason: string
  bytes: number
  at: number
}

/** Filter for refused deliveries. */
export interface RejectionFilter {
  reason?: string | undefined
  /** Refused since then. */
  since?: number | undefined
  /** Older than this one. */
  before?: number | undefined
}
