import type { BudgetStore } from './budget-store.ts'

/** The rate budget of many processes, on Redis or PostgreSQL by the scheme of `url`. */
export async function createSharedBudgetStore(url: string): Promise<BudgetStore & { close(): Promise<void> | void }> {
  if (url.startsWith('postgres')) return (await import('./postgres-budget-store.ts')).createPostgresBudgetStore(url)
  return (await import('./redis-budget-store.ts')).createRedisBudgetStore(url)
}
