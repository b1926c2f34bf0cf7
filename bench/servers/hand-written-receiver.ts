import { createServer } from 'node:http'
import express from 'express'
import { jwtVerify } from 'jose'
import { concurrencyOn } from '../../src/work/settings.ts'
import { secret } from '../envelopes.ts'
import { announce } from './announce.ts'
import { answerParent } from './answer-parent.ts'
import { workOfTwoDays, workWithOurs } from './hand-written-work.ts'
import { createRecordingEhr } from './recording-ehr.ts'
import { sayError } from './say-error.ts'

/** The fields of a webhook that hand-written receivers read, unchecked as there. */
export interface Envelope {
  event_type: string
  data: { id: string }
}

/** Jobs at once: as many as pawl has in hand on the same database. */
const concurrency = Number(process.env.CONCURRENCY ?? concurrencyOn(process.env.DATABASE_URL ?? 'file:'))

/** Differing parts of receivers written by hand: where the events are kept, and which library queues the jobs. */
export interface Parts {
  /** One INSERT. */
  insert(envelope: Envelope): unknown
  /** Queues one job, which carries the envelope; false if one that waits stands for it. */
  enqueue(envelope: Envelope): Promise<boolean>
  /** Takes jobs from the queue, so many at once, and ends each once `work` resolves. */
  startWorker(work: (envelope: Envelope) => Promise<void>, concurrency: number): unknown
}

/**
 * Serves the receiver that most teams write: verify with jose, one INSERT a request, one job, then 200; and, where API_BASE_URL is set, the worker that they
 * write with it: per job one GET and the same writes to the chart as pawl's handlers make; CHART=plain: with a mapping of its own. It stores no progress, attempts nothing
 * twice and lets a delivery that comes twice be worked off twice, which is in its favour.
 */
export async function serveHandWritten({ insert, enqueue, startWorker }: Parts): Promise<void> {
  const key = new TextEncoder().encode(secret)
  let queued = 0
  const app = express()
  app.post('/webhooks', express.json({ limit: '4mb' }), async (req, res) => {
    try {
      await jwtVerify(req.get('x-webhook-secret') ?? '', key, { algorithms: ['HS256'] })
    } catch {
      res.status(401).json({ error: 'unauthorized' })
      return
    }
    const envelope = req.body as Envelope // unchecked, as in the code that this stands for
    await insert(envelope)
    if (await enqueue(envelope)) queued += 1
    res.status(200).json({ ok: true })
  })

  const { API_BASE_URL, FHIR_BASE_URL, CHART } = process.env
  const chart = createRecordingEhr()
  const write = CHART === 'plain' ? workOfTwoDays(chart, FHIR_BASE_URL) : workWithOurs(chart)
  let failed = 0
  if (API_BASE_URL !== undefined) await startWorker((envelope) => attempt(API_BASE_URL, envelope.data.id), concurrency)
  answerParent({
    ...chart.questions,
    unfinished: () => queued - failed - chart.questions.done().runs,
    failed: () => failed,
  })
  announce(createServer((req, res) => void app(req, res)))

  /** Not every library tells of a job that failed. */
  async function attempt(baseUrl: string, id: string): Promise<void> {
    try {
      await work(baseUrl, id)
    } catch (error) {
      failed += 1
      if (process.env.QUIET === undefined) sayError(error)
      throw error
    }
  }

  async function work(baseUrl: string, id: string): Promise<void> {
    const response = await fetch(`${baseUrl}/prior-authorization/${id}`, { headers: { authorization: 'Bearer token' } })
    const { data } = (await response.json()) as { data: unknown } // the played API answers so
    await write(data)
  }
}
