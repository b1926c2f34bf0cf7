import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@pawl/base/log'
import type { CountViews } from '../views/counts.ts'
import type { TallyViews } from '../views/tallies.ts'
import { type Rounds, startRounds } from './start-rounds.ts'
import type { Upkeep } from './create-upkeep.ts'

export interface TallyingDeps {
  ledger: Pick<Upkeep, 'noteTallies'> & Pick<TallyViews, 'untallied'> & Pick<CountViews, 'counts'>
  log: Log
  everyMs?: number
}

/** Rows counted per step, and the pause between two, in milliseconds: deliveries and runs come first. */
const stepSize = 2_000
const pauseMs = 50

/** Counts deliveries, refusals and runs by minute and hour, beside the work, and notes the backlog. */
export function startTallying({ ledger, log, everyMs = 15_000 }: TallyingDeps): Rounds {
  return startRounds(async (stopping) => {
    try {
      const { due, waiting, parked } = await ledger.counts()
      let backlog: Record<'due' | 'waiting' | 'parked', number> | undefined = { due, waiting, parked }
      for (let more = true; more && !stopping.aborted;) {
        const step = await ledger.untallied(stepSize)
        // A process that counted first counts the rest, too.
        more = (await ledger.noteTallies(step, backlog)) && step.more
        backlog = undefined
        if (more) await sleep(pauseMs)
      }
    } catch (error) {
      if (!stopping.aborted) log.warn({ error }, 'the history was not counted, will be tried again')
    }
    return everyMs
  })
}
