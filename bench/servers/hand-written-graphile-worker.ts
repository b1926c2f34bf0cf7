import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { type Envelope, serveHandWritten } from './hand-written-receiver.ts'
import { createPostgresEvents } from './postgres-events.ts'
import { sayError } from './say-error.ts'

/** Events on PostgreSQL, jobs by graphile-worker on the same. */
const { DATABASE_URL = '' } = process.env
// By itself it writes a line for every job; pawl is measured without, too.
const logger = new Logger(() => (level: string, message) => {
  if (level === 'error' || level === 'warning') sayError(message)
})
const utils = await makeWorkerUtils({ connectionString: DATABASE_URL, logger })
await utils.migrate()

await serveHandWritten({
  insert: await createPostgresEvents(DATABASE_URL),
  enqueue: (envelope) => utils.addJob('webhook', envelope),
  startWorker: (work, concurrency) =>
    run({
      connectionString: DATABASE_URL,
      concurrency,
      // Its performance page measures with one connection more than jobs at once.
      maxPoolSize: concurrency + 1,
      logger,
      noHandleSignals: true,
      taskList: { webhook: (payload) => work(payload as Envelope) }, // what was queued above
    }),
})
