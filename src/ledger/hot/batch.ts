import type { Transaction } from 'kysely'
import type { GroupCommit } from './group-commit.ts'
import type { Tables } from '../tables.ts'

/** What came of one item: an error is its own, and fails none of the others. */
export type Settled<Result> = { result: Result } | { error: unknown }

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

export interface BatchDeps<Item, Result> {
  commits: GroupCommit
  /** Whether the database is well and refused a statement for what it says. */
  isRefused: (error: unknown) => boolean
  /** Items of one transaction: a larger batch would keep its first one waiting. */
  maxSize: number
  /** The resources that an item may write to. */
  touches: (item: Item) => readonly string[]
  /** Does them all with a few statements, and answers in their order. */
  run: (trx: Transaction<Tables>, items: readonly Item[], now: number) => Promise<readonly Settled<Result>[]>
}

/** Gathers what is asked for until the next transaction begins, so that the same few statements do it for all. What the database refuses of many is tried once more one by one: nobody fails for his neighbours. */
export function createBatch<Item, Result>(deps: BatchDeps<Item, Result>): (item: Item) => Promise<Result> {
  const { commits, isRefused, maxSize, touches, run } = deps
  const waiting: Waiting<Item, Result>[] = []
  /** Whether a write is under way that will take them. */
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
      // What did not fit, and what comes from now on, is for the next.
      isExpected = false
      if (waiting.length > 0) expect()
    }
    await write(taken, () => {
      // Asked again when the transaction is run again, because another write in it failed: what was taken stays taken.
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
      // Where not even the transaction began, nothing was taken: then it fails for those that wait.
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
