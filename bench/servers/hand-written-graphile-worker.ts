import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { type Envelope, serveHandWritten } from './hand-written-receiver.ts'
import { createPostgresEvents } from './postgres-events.ts'
import { sayError } from './say-error.ts'

/** Events on PostgreSQL, jobs by graphile-worker on the same. */
const { DATABASE_URL = '', MERGE_MS } = process.env
// By itself it writes a line for every job; pawl is measured without, too.
const logger = new Logger(() => (level: string, message) => {
  if (level === 'error' || level === 'warning') sayError(message)
})
const utils = await makeWorkerUtils({ connectionString: DATABASE_URL, logger })
await utils.migrate()

await serveHandWritten({
  insert: await createPostgresEvents(DATABASE_URL),
  async enqueue(envelope) {
    const runAt = new Date(Date.now() + Number(MERGE_MS))
    const merging = { jobKey: envelope.data.id, jobKeyMode: 'preserve_run_at', runAt } as const
    const { revision } = await utils.addJob('webhook', envelope, MERGE_MS === undefined ? {} : merging)
    return revision === 0
  },
  startWorker: (work, concurrency) =>
    run({
      connectionString: DATABASE_URL,
      concurrency,
      // Its performance page measures with one connection more than jobs at once.
      maxPoolSize: concurrency + 1,
      // By itself it looks for jobs whose time has come every two seconds.
      ...(MERGE_MS !== undefined && { pollInterval: Number(MERGE_MS) }),
      logger,
      noHandleSignals: true,
      taskList: { webhook: (payload) => work(payload as Envelope) }, // what was queued above
    }),
})
