import { randomBytes } from 'node:crypto'
import { describeError } from '@pawl/base/errors'
import {
  eraseFound,
  type ErasureOutcome,
  type ErasureSteps,
  findPatientData,
  type FoundData,
} from './contract/erase-patient.ts'

/** An erasure by the pages: it searches, erases on demand, and searches again. It never shows the patient's number. */
export interface ErasureJob {
  id: string
  state: 'looking' | 'found' | 'erasing' | 'failed'
  /** Resources searched. */
  looked: { done: number; total: number }
  /** The data found by the last search, and its time. */
  found: FoundData
  lookedAt: number
  /** Result of the last erasure. */
  outcome: ErasureOutcome | undefined
  /** The error that stopped it. */
  error: { code: string; message: string } | undefined
}

export interface ErasureJobs {
  start(this: void, steps: ErasureSteps): ErasureJob
  /** Erases the data found, and searches again; does nothing in any other state. */
  erase(this: void, id: string): void
  /** Searches again; does nothing while it is at work. */
  look(this: void, id: string): void
  find(this: void, id: string): ErasureJob | undefined
}

/** Milliseconds for which a job, with the patient's number, stays in memory. */
const keptMs = 30 * 60_000

export function createErasureJobs(): ErasureJobs {
  const jobs = new Map<string, { job: ErasureJob; steps: ErasureSteps }>()

  async function look({ job, steps }: { job: ErasureJob; steps: ErasureSteps }): Promise<void> {
    job.found = await findPatientData(steps, (looked) => (job.looked = looked))
    job.lookedAt = Date.now()
    job.state = 'found'
  }

  async function follow(job: ErasureJob, state: ErasureJob['state'], act: () => Promise<void>): Promise<void> {
    job.state = state
    job.error = undefined
    try {
      await act()
    } catch (error) {
      job.state = 'failed'
      job.error = describeError(error)
    }
  }

  return {
    start(steps) {
      const id = randomBytes(9).toString('base64url')
      const job: ErasureJob = {
        id,
        state: 'looking',
        looked: { done: 0, total: 0 },
        found: { resources: [], events: [] },
        lookedAt: 0,
        outcome: undefined,
        error: undefined,
      }
      const kept = { job, steps }
      jobs.set(id, kept)
      setTimeout(() => jobs.delete(id), keptMs).unref()
      void follow(job, 'looking', () => look(kept))
      return job
    },
    erase(id) {
      const kept = jobs.get(id)
      if (kept?.job.state !== 'found') return
      void follow(kept.job, 'erasing', async () => {
        kept.job.outcome = await eraseFound(kept.steps, kept.job.found)
        await look(kept)
      })
    },
    look(id) {
      const kept = jobs.get(id)
      if (kept === undefined || kept.job.state === 'looking' || kept.job.state === 'erasing') return
      void follow(kept.job, 'looking', () => look(kept))
    },
    find: (id) => jobs.get(id)?.job,
  }
}
