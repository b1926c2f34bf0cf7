import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Allowance } from '../../src/api/allowance.ts'
import { type BudgetStore, createMemoryBudgetStore, joinUpdates } from '../../src/api/budget-store.ts'

const allowance = (remaining: number): Allowance => ({
  quota: 1_000,
  windowMs: 60_000,
  remaining,
  inFlight: 0,
  resetsAtMs: 0,
  nextSlotAtMs: 0,
  knownAtMs: 0,
})

/** A store as far away as a server, that counts what is asked of it. */
function createFarStore() {
  const kept = createMemoryBudgetStore()
  let asked = 0
  const store: BudgetStore = {
    async update(keys, change) {
      asked += 1
      await sleep(5)
      return kept.update(keys, change)
    },
  }
  return { store, asked: () => asked }
}

const take = (store: BudgetStore, keys: readonly string[]) =>
  store.update(keys, (known) => {
    const allowances = known.map((each) => allowance((each?.remaining ?? 1_000) - 1))
    return { allowances, result: allowances.map(({ remaining }) => remaining) }
  })

it('asks the store once for all that came while it was asked, each in its turn', async () => {
  const { store, asked } = createFarStore()
  const joined = joinUpdates(store)
  const results = await Promise.all(Array.from({ length: 200 }, () => take(joined, ['a'])))
  expect(results.map(([remaining]) => remaining)).toEqual(Array.from({ length: 200 }, (_, index) => 999 - index))
  expect(asked()).toBe(2)
})

it('keeps the keys of different requests apart', async () => {
  const joined = joinUpdates(createFarStore().store)
  await take(joined, ['a'])
  expect(await Promise.all([take(joined, ['a', 'b']), take(joined, ['b']), take(joined, ['a'])])).toEqual([
    [998, 999],
    [998],
    [997],
  ])
})

it('tells all that were joined when the store fails, and asks it again for the next', async () => {
  let fails = true
  const kept = createMemoryBudgetStore()
  const joined = joinUpdates({
    update: (keys, change) => (fails ? Promise.reject(new Error('away')) : kept.update(keys, change)),
  })
  const results = await Promise.allSettled([take(joined, ['a']), take(joined, ['a'])])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  fails = false
  expect(await take(joined, ['a'])).toEqual([999])
})
