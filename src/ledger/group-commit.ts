import type { Kysely, Transaction } from 'kysely'
import type { Tables } from './tables.ts'

type Work<T> = (trx: Transaction<Tables>) => Promise<T>

interface Waiting {
  run(trx: Transaction<Tables>): Promise<void>
  resolve(): void
  reject(error: unknown): void
}

/** Runs writes that arrive together in one transaction, so that they share one wait for the disk. */
export interface GroupCommit {
  /** Resolves with what `work` returned once its commit is durable; rejects, with nothing of it stored, if it or the commit failed. */
  write<T>(work: Work<T>): Promise<T>
  /** Resolves when nothing is in progress. */
  idle(): Promise<void>
}

/** At most this many writes share a commit: a larger group would keep its first member waiting. */
const largestGroup = 256

/** Makes the one door through which a process writes to its ledger. */
export function createGroupCommit(db: Kysely<Tables>): GroupCommit {
  const waiting: Waiting[] = []
  let draining: Promise<void> | undefined

  async function drain(): Promise<void> {
    // One turn of the event loop lets requests that are already in the process join the first group.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) await commit(waiting.splice(0, largestGroup))
    draining = undefined
  }

  async function commit(group: Waiting[]): Promise<void> {
    let culprit: Waiting | undefined
    try {
      await db.transaction().execute(async (trx) => {
        for (const member of group) {
          culprit = member
          await member.run(trx)
        }
        culprit = undefined
      })
    } catch (error) {
      // Nothing was stored. What one member did wrong must not fail its neighbours; what the commit itself met fails them all.
      for (const member of group) if (culprit === undefined || member === culprit) member.reject(error)
      if (culprit !== undefined && group.length > 1) await commit(group.filter((member) => member !== culprit))
      return
    }
    for (const member of group) member.resolve()
  }

  return {
    write: <T>(work: Work<T>) =>
      new Promise<T>((resolve, reject) => {
        let result: T
        waiting.push({
          run: async (trx) => {
            result = await work(trx)
          },
          resolve: () => resolve(result),
          reject,
        })
        draining ??= drain()
      }),
    idle: () => draining ?? Promise.resolve(),
  }
}
