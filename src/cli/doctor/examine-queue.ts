import type { Config } from '../../settings/read-config.ts'
import { systemCodeOf } from '@pawl/base/errors'
import type { RedisUnfit } from '@pawl/base/net/redis-connection'
import { fail, type Finding, ok, warn } from './finding.ts'

const area = 'queue'
const timeoutMs = 5_000

/** Checks that the queue's Redis, if any, is 5 or later, takes writes and evicts nothing. Changes nothing there. A PostgreSQL is examined as the ledger. */
export function examineQueue({
  queueUrl,
  databaseUrl,
  role,
}: Pick<Config, 'queueUrl' | 'databaseUrl' | 'role'>): Promise<Finding[]> {
  if (queueUrl !== undefined) return examineRedis(queueUrl)
  if (!databaseUrl.startsWith('file:'))
    return Promise.resolve([ok(area, 'The PostgreSQL of DATABASE_URL carries it (LISTEN, NOTIFY).')])
  const within = 'QUEUE_URL is not set: work is queued within the process.'
  return Promise.resolve([role === 'all' ? ok(area, within) : warn(area, within, 'Set QUEUE_URL for all processes.')])
}

async function examineRedis(url: string): Promise<Finding[]> {
  const { openRedis } = await import('@pawl/base/net/redis-connection')
  let broken: unknown
  let unfit: RedisUnfit | undefined
  const redis = openRedis(
    url,
    {
      lazyConnect: true,
      connectTimeout: timeoutMs,
      commandTimeout: timeoutMs,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
    },
    (why) => (unfit = why),
  )
  redis.on('error', (error: unknown) => (broken = error))
  try {
    await redis.connect()
    const info = await redis.info()
    return judgeRedis((name) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1])
  } catch (error) {
    if (unfit !== undefined) return [fail(area, unfit.message, unfit.todo)]
    const code = codeOf(broken) ?? codeOf(error) ?? 'no answer'
    return [fail(area, `Redis at QUEUE_URL cannot be used (${code}).`, adviceFor(code))]
  } finally {
    redis.disconnect()
  }
}

function judgeRedis(read: (name: string) => string | undefined): Finding[] {
  const version = read('redis_version') ?? ''
  if (Number.parseInt(version, 10) < 5)
    return [fail(area, `Redis ${version} is too old.`, 'Install Redis 6.2 or later; the minimum is 5.')]
  const policy = read('maxmemory_policy')
  const todo = 'Set maxmemory-policy to noeviction in the configuration of that Redis.'
  if (policy === undefined) return [warn(area, 'Redis does not tell its eviction policy.', todo)]
  if (policy === 'noeviction') return [ok(area, `Redis ${version} answers, and evicts nothing.`)]
  const evicts = `Redis may evict what is queued (maxmemory-policy ${policy})`
  return [
    read('maxmemory') === '0' ? warn(area, `${evicts} once maxmemory is set.`, todo) : fail(area, `${evicts}.`, todo),
  ]
}

/** The system's error code or the first word of Redis's message. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  return systemCodeOf(error) ?? /^[A-Z]{5,}(?= )/.exec(error.message)?.[0]
}

function adviceFor(code: string): string {
  const isRefusal = /^(NOAUTH|WRONGPASS|NOPERM)$/.test(code)
  return isRefusal
    ? 'Correct the user and password in QUEUE_URL.'
    : 'Start that server, or correct QUEUE_URL, or let this machine connect there.'
}
