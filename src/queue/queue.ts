import { PawlError } from '@pawl/base/errors'
import type { QueueOutage } from './outage-note.ts'

/** Works on one resource; never rejects. */
export type Work = (resourceId: string) => Promise<void>

/** Carries ids of resources with work from the process that stores it to one that does it. It may lose ids; the ledger does not. */
export interface Queue {
  /** Requests work on a resource. Calls before the work starts count as one; a call during the work repeats it. Rejects with `QueueUnavailable`. */
  enqueue(resourceId: string): Promise<void>
  /** Starts working, on at most `concurrency` resources at once. */
  start(work: Work, concurrency: number): void
  /** The current outage of its server, if any; absent on queues without a server. */
  outage?(): QueueOutage | undefined
  /** Stops accepting work, waits for work in progress, and disconnects. */
  close(): Promise<void>
}

/** The id did not reach the queue; the sweeper finds the work. */
export class QueueUnavailable extends PawlError {
  readonly code = 'queue_unavailable'
  override readonly retry = 'backoff'
}
