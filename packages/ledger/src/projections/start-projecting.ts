import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@pawl/base/log'
import { type Rounds, startRounds } from '../upkeep/start-rounds.ts'
import type { CountViews } from '../views/counts.ts'
import type { Projections } from './create-projections.ts'
import type { ProjectionName } from '../tables.ts'

export interface ProjectingDeps {
  ledger: Pick<Projections, 'project' | 'noteBacklog'> & Pick<CountViews, 'counts'>
  log: Log
}

/** Searches, the report, and the total of events, which counts those left one by one. */
const often: readonly ProjectionName[] = ['lookups', 'outcomes', 'deliveries']
/** Read by pages with a time axis alone, and cheap: counted less often, more rows at once. */
const tallies: readonly ProjectionName[] = ['runs', 'refusals']
const talliedAtOnce = 500
/** Time between two rounds, and between two with tallies. */
const [everyMs, talliedEveryMs] = [1_000, 15_000]
/** Pause between two steps: deliveries and runs come first. */
const pauseMs = 10

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
      for (let more = true; more && !stopping.aborted; await sleep(pauseMs)) {
        more = await ledger.project(often)
        if (isTallying && (await ledger.project(tallies, talliedAtOnce))) more = true
      }
    } catch (error) {
      if (stopping.aborted) return everyMs
      log.warn({ error }, 'the journal was not projected, will be tried again')
      return talliedEveryMs
    }
    return everyMs
  })
}
