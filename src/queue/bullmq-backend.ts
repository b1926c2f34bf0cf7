import type { Queue } from 'bullmq'
import type { OutageNote } from './outage-note.ts'

/** All that a job holds. */
export interface JobData {
  resourceId: string
}

/** What the queue asks of BullMQ's two classes, whatever is behind them. */
export type BullMqJobs = Pick<Queue<JobData>, 'add' | 'close'>
export interface BullMqWorker {
  on(event: 'error', listener: (error: Error) => void): unknown
  pause(doNotWaitActive: boolean): Promise<void>
  close(force: boolean): Promise<void>
}

export type ProcessJob = (job: { data: JobData }) => Promise<void>

/** Connections of one's own. */
export interface Connected {
  /** False where whatever is asked now would only wait for a connection. */
  isUp(this: void): boolean
  /** Cuts every connection, in bounded time; what is still asked then fails. */
  disconnect(this: void): Promise<void>
}

/** The server that carries the jobs. */
export interface BullMqBackend {
  /** For whoever looks after it. */
  server: 'Redis' | 'PostgreSQL'
  openJobs(): Connected & { jobs: BullMqJobs }
  openWorker(process: ProcessJob, concurrency: number): Connected & { worker: BullMqWorker }
}

export interface BackendDeps {
  url: string
  queueName: string
  outage: OutageNote
}

/** How long enqueueing may take, in milliseconds: nobody waits for it, but it must not pile up while the server hangs. */
export const enqueueTimeoutMs = 2_000

/** Events of its own that BullMQ keeps; pawl reads none. */
export const eventsKept = 100
