import type { Allowance } from './allowance.ts'

/** Where allowances are kept. All processes that use one organization's tokens can share one store. */
export interface BudgetStore {
  /**
   * Replaces the allowances of `keys` by what `change` makes of them, in the same order and atomically.
   * `change` must be pure: a store may call it again when another process was faster. Undefined means that nothing is known.
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
