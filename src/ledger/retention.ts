import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { Ledger } from './ledger.ts'

export interface RetentionDeps {
  ledger: Pick<Ledger, 'purge'>
  /** How long bodies and snapshots are kept, in milliseconds. */
  keepMs: number
  log: Log
}

/** Deletes what is older than it has to be. */
export interface Retention {
  close(): Promise<void>
}

const everyMs = 3_600_000
/** Between two steps, so that deliveries get their turn first. */
const pauseMs = 20

/** Purges at the start and every hour, in small steps; parked and due work is kept. */
export function startRetention({ ledger, keepMs, log }: RetentionDeps): Retention {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined

  async function purge(): Promise<void> {
    let deleted = 0
    try {
      for (let cursor: number | undefined = 0; cursor !== undefined && !stopping.signal.aborted;) {
        const step: { deleted: number; cursor: number | undefined } = await ledger.purge(keepMs, cursor)
        deleted += step.deleted
        cursor = step.cursor
        await sleep(pauseMs)
      }
      if (deleted > 0) log.info({ count: deleted }, 'old events deleted')
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
      await round
    },
  }
}
