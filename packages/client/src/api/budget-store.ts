import type { Allowance } from './allowance.ts'

/** Stores allowances. All processes that use one organization's tokens can share one store. */
export interface BudgetStore {
  /**
   * Replaces the allowances of `keys` by the result of `change`, in the same order and atomically.
   * `change` must be pure: a store calls it again after a conflict with another process. Undefined means unknown.
   */
  update<T>(
    keys: readonly string[],
    change: (allowances: (Allowance | undefined)[]) => { allowances: (Allowance | undefined)[]; result: T },
  ): Promise<T>
}

interface Waiting {
  keys: readonly string[]
  /** Its result, of any type, goes to `resolve`. */
  change: (allowances: (Allowance | undefined)[]) => { allowances: (Allowance | undefined)[]; result: unknown }
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

/** Batches the updates that a process requests during another one, in order: together they cost one exchange with a shared store. */
export function joinUpdates({ update }: BudgetStore): BudgetStore {
  let waiting: Waiting[] = []
  let isUnderWay = false

  async function runTogether(together: readonly Waiting[]): Promise<void> {
    const keys = [...new Set(together.flatMap((each) => each.keys))]
    try {
      const results = await update(keys, (known) => {
        const current = new Map(keys.map((key, index) => [key, known[index]]))
        const results = together.map(({ keys, change }) => {
          const { allowances, result } = change(keys.map((key) => current.get(key)))
          for (const [index, key] of keys.entries())
            if (allowances[index] !== undefined) current.set(key, allowances[index])
          return result
        })
        return { allowances: keys.map((key) => current.get(key)), result: results }
      })
      for (const [index, { resolve }] of together.entries()) resolve(results[index])
    } catch (error) {
      for (const { reject } of together) reject(error)
    }
  }

  async function runAll(): Promise<void> {
    isUnderWay = true
    while (waiting.length > 0) {
      const together = waiting
      waiting = []
      await runTogether(together)
    }
    isUnderWay = false
  }

  return {
    update<T>(
      keys: readonly string[],
      change: (allowances: (Allowance | undefined)[]) => { allowances: (Allowance | undefined)[]; result: T },
    ) {
      return new Promise<T>((resolve, reject) => {
        // The result of `change` is what its own promise resolves with.
        waiting.push({ keys, change, resolve: resolve as (result: unknown) => void, reject })
        if (!isUnderWay) void runAll()
      })
    },
  }
}

/** Keeps the allowances of one process. */
export function createMemoryBudgetStore(): BudgetStore {
  const kept = new Map<string, Allowance>()
  return {
    async update(keys, change) {
      const { allowances, result } = change(keys.map((key) => kept.get(key)))
      for (const [index, key] of keys.entries()) {
        const allowance = allowances[index]
        if (allowance !== undefined) kept.set(key, allowance)
      }
      return result
    },
  }
}
