import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../log.ts'
import type { Keep, Ledger } from '../ledger.ts'
import { type Rounds, startRounds } from '../start-rounds.ts'
import { BodyStoreAway } from './body-store.ts'
import type { MoveStep } from './move-bodies.ts'

export interface BodyMovesDeps {
  ledger: Pick<Ledger, 'moveBodies' | 'tidyBodies'>
  keep: Pick<Keep, 'keepMs'>
  log: Log
  /** Told how many bodies were moved or deleted, and of each turn that failed. */
  count(what: 'moved' | 'deleted' | 'failed', by: number): void
  /** Until the next turn, in milliseconds; after one that failed, at first `retryMs`, then twice that, and so on. */
  everyMs?: number
  retryMs?: number
}

/** Between two steps, so that deliveries get their turn first. */
const pauseMs = 20
/** After so many turns all events are looked through again: what could not be moved before may be sealed now. */
const turnsUntilAll = 24

/** Moves and deletes bodies at the start and every hour, in small steps. While the store is away bodies stay in the ledger; the log says so once. */
export function startBodyMoves(deps: BodyMovesDeps): Rounds {
  const { ledger, keep, log, count, everyMs = 3_600_000, retryMs = 60_000 } = deps
  /** All events up to this one are done. */
  let reached = 0
  let turns = 0
  let failures = 0

  async function move(stopping: AbortSignal): Promise<number> {
    let moved = 0
    for (let cursor: number | undefined = reached; cursor !== undefined && !stopping.aborted;) {
      const step: MoveStep = await ledger.moveBodies(cursor)
      moved += step.moved
      if (step.moved > 0) count('moved', step.moved)
      if (step.cursor !== undefined) reached = step.cursor
      cursor = step.cursor
      await sleep(pauseMs)
    }
    return moved
  }

  return startRounds(async (stopping) => {
    try {
      const moved = await move(stopping)
      const deleted = stopping.aborted ? 0 : await ledger.tidyBodies(keep)
      if (deleted > 0) count('deleted', deleted)
      if (failures > 0) log.info({ component: 'bodies' }, 'the store of bodies is back')
      if (moved > 0) log.info({ count: moved }, 'bodies moved to their store')
      failures = 0
      turns += 1
      if (turns % turnsUntilAll === 0) reached = 0
    } catch (error) {
      // The ledger closes behind a step that took too long; the next start takes it up.
      if (stopping.aborted) return everyMs
      failures += 1
      count('failed', 1)
      if (!(error instanceof BodyStoreAway)) log.error({ component: 'bodies', error }, 'moving bodies failed')
      else if (failures === 1)
        log.warn(
          { component: 'bodies', error },
          'the store of bodies cannot be used: bodies stay in the ledger until it can',
        )
    }
    return failures === 0 ? everyMs : Math.min(everyMs, retryMs * 2 ** (failures - 1))
  })
}
