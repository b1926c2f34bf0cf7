import PgBoss from 'pg-boss'
import { type Envelope, serveHandWritten } from './hand-written-receiver.ts'
import { createPostgresEvents } from './postgres-events.ts'
import { sayError } from './say-error.ts'

/** Events on PostgreSQL, jobs by pg-boss on the same. */
const { DATABASE_URL = '', WORKERS = '4', MERGE_MS } = process.env
const queue = 'webhooks'
const boss = new PgBoss(DATABASE_URL)
boss.on('error', sayError)
await boss.start()
// Of a queue under `short` at most one job waits for each key.
await boss.createQueue(queue, { name: queue, policy: MERGE_MS === undefined ? 'standard' : 'short' })
const workers: string[] = []

await serveHandWritten({
  insert: await createPostgresEvents(DATABASE_URL),
  async enqueue(envelope) {
    const merging = { singletonKey: envelope.data.id, startAfter: new Date(Date.now() + Number(MERGE_MS)) }
    const job = await boss.send(queue, envelope, MERGE_MS === undefined ? {} : merging)
    // By itself a worker looks for jobs twice a second at most, whether or not it finds any.
    for (const worker of workers) boss.notifyWorker(worker)
    return job !== null
  },
  async startWorker(work, concurrency) {
    const batchSize = concurrency / Number(WORKERS)
    for (let n = 0; n < Number(WORKERS); n += 1) {
      const id: string = await boss.work<Envelope>(queue, { batchSize, pollingIntervalSeconds: 0.5 }, async (jobs) => {
        await Promise.all(jobs.map((job) => work(job.data)))
        // A full batch: there may be more.
        if (jobs.length === batchSize) boss.notifyWorker(id)
      })
      workers.push(id)
    }
  },
})
