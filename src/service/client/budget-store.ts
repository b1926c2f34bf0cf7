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
