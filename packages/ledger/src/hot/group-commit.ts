import type { Transaction } from 'kysely'
import type { Storage } from '../storage.ts'
import type { Tables } from '../tables.ts'
import type { Asked } from './statement.ts'

/** One write; `now` is the ledger's clock, `read` what it asked for. It may run more than once, each time from the start. */
type Work<T, Read> = (trx: Transaction<Tables>, now: number, read: Read) => Promise<T>
/** Asks for what a write needs to read, without a wait for the answer, which therefore may come with that of the locks. */
type Ask<Read> = (trx: Transaction<Tables>) => Promise<Asked<Read>>

/** A write that waits for its group. */
interface Member {
  touches(): readonly string[]
  ask(trx: Transaction<Tables>): Promise<void>
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
  write<T, Read>(work: Work<T, Read>, touches?: () => readonly string[], ask?: Ask<Read>): Promise<T>
  /** Resolves when nothing is in progress. */
  idle(): Promise<void>
}

/** Max writes per commit: a larger group would delay its first member. */
const maxGroupSize = 256
/** The group runs again after a cut connection or a deadlock, which only work without `touches` can hit. */
const maxTries = 5

/** Creates a process's only write path to its ledger. */
export function createGroupCommit(storage: Storage): GroupCommit {
  const waiting: Member[] = []
  let draining: Promise<void> | undefined

  async function drain(): Promise<void> {
    // One turn of the event loop lets requests already in the process join the first group.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) await commit(waiting.splice(0, maxGroupSize))
    draining = undefined
  }

  async function commit(group: Member[], triesLeft = maxTries): Promise<void> {
    let culprit: Member | undefined
    let isCommitting = false
    try {
      const transaction = storage.db.transaction().setIsolationLevel('read committed')
      await transaction.execute(async (trx) => {
        const touched = new Set(group.flatMap((member) => member.touches()))
        const locked = await storage.lock(trx, [...touched])
        const [first] = group
        // The first alone: the others read what those before them write.
        culprit = first
        await first?.ask(trx)
        culprit = undefined
        const now = await locked.answer
        for (const member of group) {
          culprit = member
          if (member !== first) await member.ask(trx)
          await member.run(trx, now)
        }
        culprit = undefined
        isCommitting = true
      })
    } catch (error) {
      // Nothing was stored.
      if (storage.isPassing(error, isCommitting) && triesLeft > 1) return commit(group, triesLeft - 1)
      // A write's answer may come with a later member's, or with the commit's: each runs alone.
      if (group.length > 1 && storage.isRefused(error)) {
        for (const member of group) await commit([member])
        return
      }
      // A member's own error fails that member only; an error of the commit fails them all.
      for (const member of group) if (culprit === undefined || member === culprit) member.reject(error)
      if (culprit !== undefined && group.length > 1) await commit(group.filter((member) => member !== culprit))
      return
    }
    for (const member of group) member.resolve()
  }

  return {
    write: <T, Read>(work: Work<T, Read>, touches: () => readonly string[] = () => [], ask?: Ask<Read>) =>
      new Promise<T>((resolve, reject) => {
        let result: T
        let asked: Asked<Read> | undefined
        waiting.push({
          touches,
          ask: async (trx) => {
            asked = await ask?.(trx)
          },
          run: async (trx, now) => {
            // Work that reads something has asked for it.
            result = await work(trx, now, (await asked?.answer) as Read)
          },
          resolve: () => resolve(result),
          reject,
        })
        draining ??= drain()
      }),
    idle: () => draining ?? Promise.resolve(),
  }
}

/** Result of one item, known at the latest when its transaction ends: its error fails no other item. */
export type Settled<Result> = { result: Result | Promise<Result> } | { error: unknown }

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result | Promise<Result>): void
  reject(error: unknown): void
}

export interface BatchDeps<Item, Result, Read> {
  commits: GroupCommit
  /** Whether the database is healthy and rejected a statement for its content. */
  isRefused: (error: unknown) => boolean
  /** Max items per transaction: a larger batch would delay its first one. */
  maxSize: number
  /** The resources that an item may write to. */
  touches: (item: Item) => readonly string[]
  /** Asks for what all items need to read. */
  ask: (trx: Transaction<Tables>, items: readonly Item[]) => Promise<Asked<Read>>
  /** Handles all items in a few statements; results in their order. */
  run: (
    trx: Transaction<Tables>,
    items: readonly Item[],
    now: number,
    read: Read,
  ) => Promise<readonly Settled<Result>[]>
}

/** Collects requests until the next transaction begins, so that the same few statements serve all. A rejected batch is retried one by one: one bad item never fails the rest. */
export function createBatch<Item, Result, Read>(deps: BatchDeps<Item, Result, Read>): (item: Item) => Promise<Result> {
  const { commits, isRefused, maxSize, touches, ask, run } = deps
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
        (trx, now, read: Read) => run(trx, items(), now, read),
        () => {
          take()
          return items().flatMap((item) => touches(item))
        },
        (trx) => ask(trx, items()),
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
