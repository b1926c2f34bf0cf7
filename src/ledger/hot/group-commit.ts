import type { Transaction } from 'kysely'
import type { Storage } from '../storage.ts'
import type { Tables } from '../tables.ts'

/** One write; `now` is the ledger's clock. It may run more than once, each time from the start. */
type Work<T> = (trx: Transaction<Tables>, now: number) => Promise<T>

interface Waiting {
  touches(): readonly string[]
  run(trx: Transaction<Tables>, now: number): Promise<void>
  resolve(): void
  reject(error: unknown): void
}

/** Groups concurrent writes into one transaction, so that they share one wait for the disk. */
export interface GroupCommit {
  /**
   * Resolves with the result of `work` once its commit is durable; rejects, with nothing of it stored, if it or the commit failed.
   * `touches`, called before each run, names the resources that it may write to. A group locks all of its resources first, so that two processes' groups queue instead of deadlocking.
   */
  write<T>(work: Work<T>, touches?: () => readonly string[]): Promise<T>
  /** Resolves when nothing is in progress. */
  idle(): Promise<void>
}

/** Max writes per commit: a larger group would delay its first member. */
const maxGroupSize = 256
/** The group runs again after a cut connection or a deadlock, which only work without `touches` can hit. */
const maxTries = 5

/** Creates a process's only write path to its ledger. */
export function createGroupCommit(storage: Storage): GroupCommit {
  const waiting: Waiting[] = []
  let draining: Promise<void> | undefined

  async function drain(): Promise<void> {
    // One turn of the event loop lets requests already in the process join the first group.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) await commit(waiting.splice(0, maxGroupSize))
    draining = undefined
  }

  async function commit(group: Waiting[], triesLeft = maxTries): Promise<void> {
    let culprit: Waiting | undefined
    let isCommitting = false
    try {
      const transaction = storage.db.transaction().setIsolationLevel('read committed')
      await transaction.execute(async (trx) => {
        const touched = new Set(group.flatMap((member) => member.touches()))
        const now = await storage.now(trx, [...touched])
        for (const member of group) {
          culprit = member
          await member.run(trx, now)
        }
        culprit = undefined
        isCommitting = true
      })
    } catch (error) {
      // Nothing was stored.
      const mayRunAgain = storage.isPassing(error, isCommitting) || (await storage.mend?.(error)) === true
      if (mayRunAgain && triesLeft > 1) return commit(group, triesLeft - 1)
      // A member's own error fails that member only; an error of the commit fails them all.
      for (const member of group) if (culprit === undefined || member === culprit) member.reject(error)
      if (culprit !== undefined && group.length > 1) await commit(group.filter((member) => member !== culprit))
      return
    }
    for (const member of group) member.resolve()
  }

  return {
    write: <T>(work: Work<T>, touches: () => readonly string[] = () => []) =>
      new Promise<T>((resolve, reject) => {
        let result: T
        waiting.push({
          touches,
          run: async (trx, now) => {
            result = await work(trx, now)
          },
          resolve: () => resolve(result),
          reject,
        })
        draining ??= drain()
      }),
    idle: () => draining ?? Promise.resolve(),
  }
}
