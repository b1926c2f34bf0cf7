import PgBoss from 'pg-boss'
import { type Envelope, serveHandWritten } from './hand-written-receiver.ts'
import { createPostgresEvents } from './postgres-events.ts'
import { sayError } from './say-error.ts'

/** Events on PostgreSQL, jobs by pg-boss on the same. */
const { DATABASE_URL = '', WORKERS = '4' } = process.env
const queue = 'webhooks'
const boss = new PgBoss(DATABASE_URL)
boss.on('error', sayError)
await boss.start()
await boss.createQueue(queue)
const workers: string[] = []

await serveHandWritten({
  insert: await createPostgresEvents(DATABASE_URL),
  async enqueue(envelope) {
    await boss.send(queue, envelope)
    // By itself a worker looks for jobs twice a second at most, whether or not it finds any.
    for (const worker of workers) boss.notifyWorker(worker)
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
