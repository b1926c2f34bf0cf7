import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@pawl/base/log'
import { type Rounds, startRounds } from '../upkeep/start-rounds.ts'
import type { CountViews } from '../views/counts.ts'
import type { Projections } from './create-projections.ts'
import type { ProjectionName } from './projection.ts'

export interface ProjectingDeps {
  ledger: Pick<Projections, 'project' | 'noteBacklog'> & Pick<CountViews, 'counts'>
  log: Log
}

/** Time between two rounds, and between two with tallies, which only pages with a time axis read. */
const [everyMs, talliedEveryMs] = [250, 15_000]
/** Pause between two steps: deliveries and runs come first. */
const pauseMs = 10
const fresh: readonly ProjectionName[] = ['lookups', 'outcomes']

/** Runs the projections beside the work, in small steps, and notes the backlog. */
export function startProjecting({ ledger, log }: ProjectingDeps): Rounds {
  let talliedAt = -Infinity
  return startRounds(async (stopping) => {
    try {
      const isTallying = performance.now() - talliedAt >= talliedEveryMs
      if (isTallying) {
        talliedAt = performance.now()
        const { due, waiting, parked } = await ledger.counts()
        await ledger.noteBacklog({ due, waiting, parked })
      }
      while (!stopping.aborted && (await ledger.project(isTallying ? undefined : fresh))) await sleep(pauseMs)
    } catch (error) {
      if (stopping.aborted) return everyMs
      log.warn({ error }, 'the journal was not projected, will be tried again')
      return talliedEveryMs
    }
    return everyMs
  })
}
