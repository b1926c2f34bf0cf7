import { setTimeout as sleep } from 'node:timers/promises'
import { type PgPool, PostgresConnection, PostgresQueueBackend, runMigrations, withBackend } from 'bullmq'
import { openPostgresPool } from '../postgres-pool.ts'
import { type BackendDeps, type BullMqBackend, eventsKept, type JobData, enqueueTimeoutMs } from './bullmq-backend.ts'
import type { OutageNote } from './outage-note.ts'

/** Where BullMQ keeps its tables: apart from the ledger's, since one database may hold both. */
const schema = 'pawl_queue'
/** Jobs are added one by one; workers take and finish them, and one connection of theirs listens. */
const connections = { jobs: 2, worker: 4 }
const workerTimeoutMs = 10_000
/** BullMQ asks again at once where PostgreSQL answered with an error; it waits this long instead, in milliseconds. */
const retryMs = 500

/** Brings the schema up to date before the first query. BullMQ's own connection takes the first failure as final. */
class MigratingConnection extends PostgresConnection {
  #ready: Promise<void> | undefined

  override waitUntilReady(): Promise<void> {
    this.#ready ??= this.#migrate().catch((error: unknown) => {
      this.#ready = undefined
      throw error
    })
    return this.#ready
  }

  async #migrate(): Promise<void> {
    const client = await this.pool.connect()
    try {
      await runMigrations(client, schema)
      client.release()
    } catch (error) {
      client.release(true)
      throw error
    }
  }
}

/** BullMQ's backend, made to wait: a PostgreSQL that is away now may be there later. */
class WaitingBackend extends PostgresQueueBackend {
  readonly #outage: OutageNote

  constructor(outage: OutageNote, ...args: ConstructorParameters<typeof PostgresQueueBackend>) {
    super(...args)
    this.#outage = outage
  }

  override async waitUntilReady(): Promise<void> {
    for (;;) {
      try {
        return await this.connection.waitUntilReady()
      } catch (error) {
        if (this.connection.isClosing !== undefined) throw error
        await sleep(retryMs, undefined, { ref: false })
      }
    }
  }

  override async moveToActive(...args: Parameters<PostgresQueueBackend['moveToActive']>) {
    try {
      const taken = await super.moveToActive(...args)
      this.#outage.up()
      return taken
    } catch (error) {
      if (this.connection.isClosing === undefined) await sleep(retryMs, undefined, { ref: false })
      throw error
    }
  }

  /** Where it fails, BullMQ would wait five seconds to ask again, and nothing could end that wait; the next look comes by itself. */
  override async moveStalledJobsToWait(): Promise<string[]> {
    try {
      return await super.moveStalledJobsToWait()
    } catch (error) {
      this.#outage.down(error)
      return []
    }
  }
}

/** BullMQ on PostgreSQL 13 or later, in a schema of its own, which is brought up to date at the first use. */
export function createBullMqOnPostgres({ url, queueName, outage }: BackendDeps): BullMqBackend {
  const { Queue, Worker } = withBackend<WaitingBackend, PgPool>(
    (name, options) => new WaitingBackend(outage, new MigratingConnection(options.connection), name, options),
  )
  function connect(max: number, query_timeout: number): { connection: PgPool; close: () => Promise<void> } {
    const { pool, close } = openPostgresPool({
      connectionString: url,
      max,
      query_timeout,
      connectionTimeoutMillis: enqueueTimeoutMs,
      application_name: 'pawl-queue',
      options: `-c search_path=${schema}`,
    })
    // BullMQ asks for pg's pool by a type of its own, which the overloads of pg's hide from the compiler.
    return { connection: pool as unknown as PgPool, close }
  }

  return {
    server: 'PostgreSQL',
    openJobs() {
      const { connection, close } = connect(connections.jobs, enqueueTimeoutMs)
      const jobs = new Queue<JobData>(queueName, { connection, streams: { events: { maxLen: eventsKept } } })
      jobs.on('error', outage.down)
      return { jobs, isUp: () => true, disconnect: close }
    },
    openWorker(process, concurrency) {
      const { connection, close } = connect(connections.worker, workerTimeoutMs)
      const worker = new Worker<JobData>(queueName, process, { connection, concurrency, runRetryDelay: retryMs })
      return { worker, isUp: () => true, disconnect: close }
    },
  }
}
