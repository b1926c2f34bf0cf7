import { createServer } from 'node:http'
import Database from 'better-sqlite3'
import { Queue, Worker } from 'bullmq'
import express from 'express'
import { Redis } from 'ioredis'
import { jwtVerify } from 'jose'
import { PriorAuthorization } from '../../src/resources/prior-authorization.ts'
import { secret } from '../envelopes.ts'
import { createTestRun } from '../../test/support/run-context.ts'
import { announce } from './announce.ts'
import { answerParent } from './answer-parent.ts'
import { createRecordingEhr } from './recording-ehr.ts'

/**
 * The receiver that most teams write: verify with jose, one INSERT a request, a BullMQ job with the body, then 200; and, where API_BASE_URL is set, the worker
 * that they write with it: per job one GET and the same write to the chart as pawl's handler makes. It stores no progress, which is in its favour.
 */
const { DATABASE_FILE = 'hand-written.db', SYNCHRONOUS = 'NORMAL', QUEUE_URL = '', API_BASE_URL } = process.env
const db = new Database(DATABASE_FILE)
db.pragma('journal_mode = WAL')
db.pragma(`synchronous = ${SYNCHRONOUS}`)
db.exec(`create table if not exists events (
  id integer primary key, resource_id text, event_type text, body text not null, received_at integer not null)`)
const insert = db.prepare('insert into events (resource_id, event_type, body, received_at) values (?, ?, ?, ?)')

interface Envelope {
  event_type: string
  data: { id: string }
}

const queue = new Queue<Envelope>('webhooks', { connection: new Redis(QUEUE_URL, { maxRetriesPerRequest: null }) })
const key = new TextEncoder().encode(secret)

const app = express()
app.post('/webhooks', express.json({ limit: '4mb' }), async (req, res) => {
  try {
    await jwtVerify(req.get('x-webhook-secret') ?? '', key, { algorithms: ['HS256'] })
  } catch {
    res.status(401).json({ error: 'unauthorized' })
    return
  }
  const envelope = req.body as Envelope // unchecked, as in the code that this stands for
  insert.run(envelope.data.id, envelope.event_type, JSON.stringify(envelope), Date.now())
  await queue.add(envelope.event_type, envelope, { removeOnComplete: true })
  res.status(200).json({ ok: true })
})

const chart = createRecordingEhr()
const ehr = chart.ehr.open(createTestRun())
if (API_BASE_URL !== undefined) startWorker(API_BASE_URL)
answerParent(chart.questions)
announce(createServer((req, res) => void app(req, res)))

function startWorker(baseUrl: string): void {
  const connection = new Redis(QUEUE_URL, { maxRetriesPerRequest: null })
  const worker = new Worker<Envelope>('webhooks', (job) => work(baseUrl, job.data.data.id), {
    connection,
    concurrency: 16, // pawl's default CONCURRENCY
  })
  worker.on('error', (error) => process.stderr.write(`${error.message}\n`))
}

async function work(baseUrl: string, id: string): Promise<void> {
  const response = await fetch(`${baseUrl}/prior-authorization/${id}`, { headers: { authorization: 'Bearer token' } })
  const { data } = (await response.json()) as { data: unknown } // the played API answers so
  const resource = PriorAuthorization.parse(data)
  await ehr.putPriorAuthorization(resource)
  for (const message of resource.message_thread?.messages ?? []) await ehr.putMessage(resource, message)
  chart.noteDone()
}
