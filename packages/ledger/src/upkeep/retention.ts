import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@pawl/base/log'
import { type Rounds, startRounds } from './start-rounds.ts'
import type { Keep } from './purge.ts'
import type { Upkeep } from './create-upkeep.ts'

export interface RetentionDeps {
  ledger: Pick<Upkeep, 'purge' | 'wipe'>
  keep: Keep
  log: Log
}

const everyMs = 3_600_000
/** Delay of the next try if a reader kept deleted content in the files. */
const againMs = 60_000
/** Pause between steps, so that deliveries come first. */
const pauseMs = 20

/** Purges at the start and every hour, in small steps, and removes deleted content from the database's files. */
export function startRetention({ ledger, keep, log }: RetentionDeps): Rounds {
  return startRounds(async (stopping) => {
    let deleted = 0
    let emptied = 0
    try {
      for (let cursor: number | undefined = 0; cursor !== undefined && !stopping.aborted;) {
        const step: Awaited<ReturnType<Upkeep['purge']>> = await ledger.purge(keep, cursor)
        deleted += step.deliveries
        emptied += step.parkedBodies
        cursor = step.cursor
        await sleep(pauseMs)
      }
      if (deleted > 0) log.info({ count: deleted }, 'old events deleted')
      if (emptied > 0)
        log.warn({ count: emptied }, 'bodies of work parked for longer than PARKED_RETENTION_DAYS deleted')
      if (!stopping.aborted && (await ledger.wipe()) === 'busy') return againMs
    } catch (error) {
      log.error({ error }, 'retention failed')
    }
    return everyMs
  })
}
