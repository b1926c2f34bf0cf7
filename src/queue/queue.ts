import { PawlError } from '../base/errors.ts'
import type { QueueOutage } from './outage-note.ts'

/** What is done about one resource; it never rejects. */
export type Work = (resourceId: string) => Promise<void>

/** Carries the ids of resources that have work from whoever stored it to whoever does it. It may lose ids; the ledger never does. */
export interface Queue {
  /** Asks that the resource be worked on soon. Calls before the work starts count as one; a call during the work has it done again. Rejects with `QueueUnavailable`. */
  enqueue(resourceId: string): Promise<void>
  /** Starts working, on at most `concurrency` resources at once. */
  start(work: Work, concurrency: number): void
  /** How long its server has not answered; absent, or `undefined`, while it does. */
  outage?(): QueueOutage | undefined
  /** Takes no more, waits for the work in hand, and disconnects. */
  close(): Promise<void>
}

/** The id did not reach the queue; the sweeper will find the work. */
export class QueueUnavailable extends PawlError {
  readonly code = 'queue_unavailable'
  override readonly retry = 'backoff'
}
