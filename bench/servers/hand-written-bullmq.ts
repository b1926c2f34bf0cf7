import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { Sqlite } from '../../packages/base/src/sqlite.ts'
import { type Envelope, serveHandWritten } from './hand-written-receiver.ts'
import { sayError } from './say-error.ts'

/** Events on SQLite in WAL mode, jobs by BullMQ on Redis. */
const { DATABASE_FILE = 'hand-written.db', SYNCHRONOUS = 'NORMAL', QUEUE_URL = '' } = process.env
const db = new Sqlite(DATABASE_FILE)
db.pragma('journal_mode = WAL')
db.pragma(`synchronous = ${SYNCHRONOUS}`)
db.exec(`create table if not exists events (
  id integer primary key, resource_id text, event_type text, body text not null, received_at integer not null)`)
const insert = db.prepare('insert into events (resource_id, event_type, body, received_at) values (?, ?, ?, ?)')

const connect = () => new Redis(QUEUE_URL, { maxRetriesPerRequest: null })
const queue = new Queue<Envelope>('webhooks', { connection: connect() })

await serveHandWritten({
  insert: (envelope) => insert.run(envelope.data.id, envelope.event_type, JSON.stringify(envelope), Date.now()),
  async enqueue(envelope) {
    await queue.add(envelope.event_type, envelope, { removeOnComplete: true })
    return true
  },
  startWorker(work, concurrency) {
    const worker = new Worker<Envelope>('webhooks', (job) => work(job.data), { connection: connect(), concurrency })
    worker.on('error', sayError)
  },
})
