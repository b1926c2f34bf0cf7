import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { Keep, Ledger } from './ledger.ts'

export interface RetentionDeps {
  ledger: Pick<Ledger, 'purge'>
  keep: Keep
  log: Log
}

/** Deletes what is older than it has to be. */
export interface Retention {
  /** Lets the step in progress end, for two seconds at the most. */
  close(): Promise<void>
}

const everyMs = 3_600_000
const closeTimeoutMs = 2_000
/** Between two steps, so that deliveries get their turn first. */
const pauseMs = 20

/** Purges at the start and every hour, in small steps. */
export function startRetention({ ledger, keep, log }: RetentionDeps): Retention {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined

  async function purge(): Promise<void> {
    let deleted = 0
    let emptied = 0
    try {
      for (let cursor: number | undefined = 0; cursor !== undefined && !stopping.signal.aborted;) {
        const step: Awaited<ReturnType<Ledger['purge']>> = await ledger.purge(keep, cursor)
        deleted += step.deliveries
        emptied += step.parkedBodies
        cursor = step.cursor
        await sleep(pauseMs)
      }
      if (deleted > 0) log.info({ count: deleted }, 'old events deleted')
      if (emptied > 0)
        log.warn({ count: emptied }, 'bodies of work that is parked for longer than PARKED_RETENTION_DAYS deleted')
    } catch (error) {
      log.error({ error }, 'retention failed')
    }
    if (!stopping.signal.aborted) timer = setTimeout(start, everyMs)
  }

  let round: Promise<void>
  function start(): void {
    round = purge()
  }
  start()

  return {
    async close() {
      stopping.abort()
      clearTimeout(timer)
      await Promise.race([round, sleep(closeTimeoutMs, undefined, { ref: false })])
    },
  }
}
