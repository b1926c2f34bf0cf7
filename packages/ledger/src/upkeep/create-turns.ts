import type { Core } from '../core.ts'
import { noteUpkeep, readUpkeep } from './upkeep.ts'

/** Turns at tasks that one of several processes does. */
export interface Turns {
  /** Takes the turn at a task that is due since `dueAt`. `done`: it was done for that time. `resting`: a process, perhaps this one, took it within `restMs`. */
  takeTurn(task: string, turn: { dueAt: number; restMs: number }): Promise<'taken' | 'done' | 'resting'>
  /** Records that the task was done for that time. */
  endTurn(task: string, dueAt: number): Promise<void>
}

/** Milliseconds by which clocks of processes and database may differ. */
const clocksDifferMs = 3_600_000

export function createTurns({ commits }: Core): Turns {
  const takenOf = (task: string) => `${task} taken`
  return {
    takeTurn: (task, { dueAt, restMs }) =>
      commits.write(
        async (trx, now) => {
          // A time ahead stems from a clock that was set back since.
          const doneFor = (await readUpkeep(trx, task)) ?? 0
          if (doneFor >= dueAt && doneFor <= now + clocksDifferMs) return 'done'
          const takenAt = (await readUpkeep(trx, takenOf(task))) ?? 0
          if (takenAt <= now && now - takenAt < restMs) return 'resting'
          await noteUpkeep(trx, takenOf(task), Math.floor(now))
          return 'taken'
        },
        () => [task],
      ),
    endTurn: (task, dueAt) =>
      commits.write(
        (trx) => noteUpkeep(trx, task, dueAt),
        () => [task],
      ),
  }
}
