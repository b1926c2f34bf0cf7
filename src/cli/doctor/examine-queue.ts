import { Redis } from 'ioredis'
import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import { openToRead } from '../../ledger/open-to-read.ts'
import { systemCodeOf } from '../../errors.ts'
import { fail, type Finding, ok, warn } from './finding.ts'

const area = 'queue'
const timeoutMs = 5_000

/** Asks the server of the queue whether it will do: Redis 5 or later that evicts nothing, or PostgreSQL 13 or later where BullMQ's schema is or can be made. Changes nothing there. */
export function examineQueue({ queueUrl, role }: Pick<Config, 'queueUrl' | 'role'>): Promise<Finding[]> {
  if (queueUrl !== undefined) return queueUrl.startsWith('redis') ? examineRedis(queueUrl) : examinePostgres(queueUrl)
  const within = 'QUEUE_URL is not set: work is queued within the process'
  return Promise.resolve([
    role === 'all'
      ? ok(area, `${within}.`)
      : warn(area, `${within}, so that other processes find it only by sweeping.`, 'Set QUEUE_URL for all processes.'),
  ])
}

async function examineRedis(url: string): Promise<Finding[]> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  let broken: unknown
  redis.on('error', (error: unknown) => (broken = error))
  try {
    await redis.connect()
    const info = `${await redis.info('server')}\n${await redis.info('memory')}`
    return judgeRedis((name) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1])
  } catch (error) {
    const code = codeOf(broken) ?? codeOf(error) ?? 'no answer'
    return [fail(area, `Redis at QUEUE_URL cannot be used (${code}).`, adviceFor(code))]
  } finally {
    redis.disconnect()
  }
}

function judgeRedis(read: (name: string) => string | undefined): Finding[] {
  const version = read('redis_version') ?? ''
  if (Number.parseInt(version, 10) < 5)
    return [fail(area, `Redis ${version} is too old.`, 'Install Redis 6.2 or later; 5 is the least.')]
  const policy = read('maxmemory_policy')
  const todo = 'Set maxmemory-policy to noeviction in the configuration of that Redis.'
  if (policy === undefined) return [warn(area, 'Redis answers, but does not say what it evicts.', todo)]
  if (policy === 'noeviction') return [ok(area, `Redis ${version} answers, and evicts nothing.`)]
  const evicts = `Redis may evict what is queued (maxmemory-policy ${policy})`
  return [
    read('maxmemory') === '0'
      ? warn(area, `${evicts} once it has a maximum of memory.`, todo)
      : fail(area, `${evicts}.`, todo),
  ]
}

async function examinePostgres(url: string): Promise<Finding[]> {
  const database = openToRead(url)
  try {
    const { rows } = await sql<{ version: number; usable: boolean }>`select
      current_setting('server_version_num')::int as version,
      case when to_regnamespace('pawl_queue') is null then has_database_privilege(current_database(), 'CREATE')
        else has_schema_privilege('pawl_queue', 'CREATE') end as usable`.execute(database.db)
    const { version = 0, usable = false } = rows[0] ?? {}
    if (version < 130_000) return [fail(area, 'PostgreSQL at QUEUE_URL is too old.', 'Install PostgreSQL 13 or later.')]
    if (usable) return [ok(area, 'PostgreSQL answers.')]
    const todo = 'Let that user make schemas in the database, or make it the owner of schema pawl_queue.'
    return [fail(area, 'The user of QUEUE_URL may make no tables for the queue.', todo)]
  } catch (error) {
    const code = codeOf(error) ?? 'no answer'
    return [fail(area, `PostgreSQL at QUEUE_URL cannot be used (${code}).`, adviceFor(code))]
  } finally {
    await database.close()
  }
}

/** The system's code, Redis's first word or PostgreSQL's SQLSTATE; nothing else of a message. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error && typeof error.code === 'string' && /^\w{5}$/.test(error.code) ? error.code : undefined
  return systemCodeOf(error) ?? code ?? /^[A-Z]{5,}(?= )/.exec(error.message)?.[0]
}

function adviceFor(code: string): string {
  const isRefusal = /^(NOAUTH|WRONGPASS|NOPERM|28...)$/.test(code)
  return isRefusal
    ? 'Correct the user and password in QUEUE_URL.'
    : 'Start that server, or correct QUEUE_URL, or let this machine connect there.'
}
