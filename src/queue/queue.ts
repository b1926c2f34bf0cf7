/** What is done about one resource; it never rejects. */
export type Work = (resourceId: string) => Promise<void>

/** The doorbell: carries ids from whoever stored something to whoever works. It may lose ids; the ledger never does. */
export interface Queue {
  /** Asks that the resource be worked on soon. Rings that come before the work starts count as one; one that comes during the work has it done again. Rejects with `QueueUnavailable`. */
  enqueue(resourceId: string): Promise<void>
  /** Starts working, on at most `concurrency` resources at once. */
  start(work: Work, concurrency: number): void
  /** Takes no more, waits for the work in hand, and disconnects. */
  close(): Promise<void>
}
