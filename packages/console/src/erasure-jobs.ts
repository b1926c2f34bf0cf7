import { randomBytes } from 'node:crypto'
import { describeError } from '@pawl/base/errors'
import {
  eraseFound,
  type ErasureOutcome,
  type ErasureSteps,
  findPatientData,
  type FoundData,
} from './contract/erase-patient.ts'

/** An erasure by the pages: it looks, erases once it is told to, and looks again. It never shows the patient's number. */
export interface ErasureJob {
  id: string
  state: 'looking' | 'found' | 'erasing' | 'failed'
  /** Resources looked through. */
  looked: { done: number; total: number }
  /** What is there now, and when that was looked at. */
  found: FoundData
  lookedAt: number
  /** What the last erasure did. */
  outcome: ErasureOutcome | undefined
  /** The error that stopped it. */
  error: { code: string; message: string } | undefined
}

export interface ErasureJobs {
  start(this: void, steps: ErasureSteps): ErasureJob
  /** Erases what was found, and looks again; without effect in any other state. */
  erase(this: void, id: string): void
  /** Looks again; without effect while it works. */
  look(this: void, id: string): void
  find(this: void, id: string): ErasureJob | undefined
}

/** How long a job is kept in memory, and with it the number of the patient. Milliseconds. */
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
