import { Redis, type RedisOptions, type StandaloneConnectionOptions } from 'ioredis'
import { StandaloneConnector } from 'ioredis/built/connectors/index.js'
import { PawlError } from '../errors.ts'

/** The Redis answers, but cannot carry a queue. */
export class RedisUnfit extends PawlError {
  readonly code
  readonly todo
  constructor({ code, says, todo }: (typeof unfit)[keyof typeof unfit]) {
    super(says)
    this.code = code
    this.todo = todo
  }
}

const unfit = {
  replica: {
    code: 'redis_replica',
    says: 'Redis at QUEUE_URL is a read-only replica and refuses writes (READONLY).',
    todo: 'Set QUEUE_URL to the primary, by an address that follows a failover.',
  },
  cluster: {
    code: 'redis_cluster',
    says: 'Redis at QUEUE_URL runs in cluster mode and refuses what touches several keys (CROSSSLOT).',
    todo: 'Set QUEUE_URL to a Redis without cluster mode; it may have replicas.',
  },
} as const

/** Judges a server by its `INFO`; an absent field counts as suitable. Valkey renames `redis_mode`. */
function findUnfit(read: (field: string) => string | undefined): RedisUnfit | undefined {
  if ((read('redis_mode') ?? read('server_mode')) === 'cluster') return new RedisUnfit(unfit.cluster)
  return read('role') === 'slave' ? new RedisUnfit(unfit.replica) : undefined
}

/** A demoted node answers writes with READONLY (before 7 inside an ERR of the script), and blocked reads with UNBLOCKED. */
const isDemoted = ({ message }: Error) => /\bREADONLY\b|^UNBLOCKED\b/.test(message)
/** Tells ioredis to reconnect, and to send the refused command again. */
const reconnectAndResend = 2

type ConnectionOptions = Pick<
  RedisOptions,
  'commandTimeout' | 'connectTimeout' | 'enableOfflineQueue' | 'lazyConnect' | 'maxRetriesPerRequest' | 'retryStrategy'
>

/**
 * Opens a connection that reconnects by itself, and only to a server that accepts writes. `onUnfit` is called for any other server, once per try.
 * BullMQ duplicates the connection with its options, so BullMQ's own connections follow a failover too.
 */
export function openRedis(
  url: string,
  options: ConnectionOptions,
  onUnfit: (why: RedisUnfit) => void = () => {},
): Redis {
  class Connector extends StandaloneConnector {
    constructor(options: unknown) {
      // ioredis hands over its own options, and declares them as unknown.
      super(options as StandaloneConnectionOptions)
    }

    /** ioredis calls this with the `INFO` of a new connection, before it sends any other command. */
    override check(info?: Partial<Record<string, string>>): boolean {
      const why = findUnfit((field) => info?.[field])
      if (why !== undefined) onUnfit(why)
      return why === undefined
    }
  }
  return new Redis(url, {
    retryStrategy: (times) => Math.min(times * 200, 2_000),
    reconnectOnError: (error) => (isDemoted(error) ? reconnectAndResend : false),
    Connector,
    ...options,
  })
}
