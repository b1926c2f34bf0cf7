import type { Transaction } from 'kysely'
import type { GroupCommit } from './group-commit.ts'
import type { Tables } from '../tables.ts'

/** Result of one item: its error fails no other item. */
export type Settled<Result> = { result: Result } | { error: unknown }

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

export interface BatchDeps<Item, Result> {
  commits: GroupCommit
  /** Whether the database is healthy and rejected a statement for its content. */
  isRefused: (error: unknown) => boolean
  /** Max items per transaction: a larger batch would delay its first one. */
  maxSize: number
  /** The resources that an item may write to. */
  touches: (item: Item) => readonly string[]
  /** Handles all items in a few statements; results in their order. */
  run: (trx: Transaction<Tables>, items: readonly Item[], now: number) => Promise<readonly Settled<Result>[]>
}

/** Collects requests until the next transaction begins, so that the same few statements serve all. A rejected batch is retried one by one: one bad item never fails the rest. */
export function createBatch<Item, Result>(deps: BatchDeps<Item, Result>): (item: Item) => Promise<Result> {
  const { commits, isRefused, maxSize, touches, run } = deps
  const waiting: Waiting<Item, Result>[] = []
  /** Whether a write that will take them is under way. */
  let isExpected = false

  function expect(): void {
    if (isExpected) return
    isExpected = true
    void writeNext()
  }

  async function writeNext(): Promise<void> {
    const taken: Waiting<Item, Result>[] = []
    const take = () => {
      taken.push(...waiting.splice(0, maxSize))
      // Overflow and later items wait for the next batch.
      isExpected = false
      if (waiting.length > 0) expect()
    }
    await write(taken, () => {
      // May run again if another write in the transaction failed: the taken items stay taken.
      if (taken.length === 0) take()
    })
  }

  async function write(taken: readonly Waiting<Item, Result>[], take: () => void): Promise<void> {
    const items = () => taken.map(({ item }) => item)
    try {
      const settled = await commits.write(
        (trx, now) => run(trx, items(), now),
        () => {
          take()
          return items().flatMap((item) => touches(item))
        },
      )
      for (const [index, outcome] of settled.entries()) {
        if ('error' in outcome) taken[index]?.reject(outcome.error)
        else taken[index]?.resolve(outcome.result)
      }
    } catch (error) {
      // If the transaction never began, nothing was taken yet: take the waiting items and fail them.
      take()
      if (taken.length > 1 && isRefused(error)) await Promise.all(taken.map((one) => write([one], () => {})))
      else for (const { reject } of taken) reject(error)
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      expect()
    })
}
