import type { Allowance } from '../../src/api/allowance.ts'
import type { BudgetStore } from '../../src/api/budget-store.ts'

const allowance: Allowance = {
  quota: 100,
  windowMs: 1,
  remaining: 100,
  inFlight: 0,
  resetsAtMs: 1,
  nextSlotAtMs: 1,
  knownAtMs: 1,
}

/** The store's content about these policies. */
export const read = (store: BudgetStore, keys: string[]) =>
  store.update(keys, (known) => ({ allowances: known, result: known }))

/** Reserves one unit of each policy. */
export const reserveOne = (store: BudgetStore, keys: string[]) =>
  store.update(keys, (known) => ({
    allowances: known.map((a) => ({ ...allowance, ...a, inFlight: (a?.inFlight ?? 0) + 1 })),
    result: undefined,
  }))

/** Whether the store answers now. */
export const answers = (store: BudgetStore) =>
  read(store, ['a']).then(
    () => true,
    () => false,
  )
