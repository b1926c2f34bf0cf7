import { randomBytes } from 'node:crypto'
import { describeError } from '../base/errors.ts'
import {
  eraseFound,
  type ErasureOutcome,
  type ErasureSteps,
  findPatientData,
  type FoundData,
} from './contract/erase-patient.ts'

/** An erasure by the pages: it looks first, and erases once it is told to. It never shows the patient's number. */
export interface ErasureJob {
  id: string
  state: 'looking' | 'found' | 'erasing' | 'erased' | 'failed'
  /** Resources looked through. */
  looked: { done: number; total: number }
  found: FoundData
  outcome: ErasureOutcome | undefined
  /** The error that stopped it. */
  error: { code: string; message: string } | undefined
}

export interface ErasureJobs {
  start(this: void, steps: ErasureSteps): ErasureJob
  /** Erases what was found; without effect in any other state. */
  erase(this: void, id: string): void
  find(this: void, id: string): ErasureJob | undefined
}

/** How long a job is kept in memory, and with it the number of the patient until it is erased. Milliseconds. */
const keptMs = 30 * 60_000

export function createErasureJobs(): ErasureJobs {
  const jobs = new Map<string, { job: ErasureJob; steps: ErasureSteps | undefined }>()

  async function follow(job: ErasureJob, act: () => Promise<void>): Promise<void> {
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
        outcome: undefined,
        error: undefined,
      }
      jobs.set(id, { job, steps })
      setTimeout(() => jobs.delete(id), keptMs).unref()
      void follow(job, async () => {
        job.found = await findPatientData(steps, (looked) => (job.looked = looked))
        job.state = 'found'
      })
      return job
    },
    erase(id) {
      const kept = jobs.get(id)
      if (kept?.steps === undefined || kept.job.state !== 'found') return
      const { job, steps } = kept
      job.state = 'erasing'
      kept.steps = undefined
      void follow(job, async () => {
        job.outcome = await eraseFound(steps, job.found)
        job.state = 'erased'
      })
    },
    find: (id) => jobs.get(id)?.job,
  }
}
