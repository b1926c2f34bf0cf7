import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Allowance } from '../../src/api/allowance.ts'
import { createRedisBudgetStore } from '../../src/api/redis-budget-store.ts'
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

const allowance: Allowance = { quota: 100, windowMs: 1, remaining: 100, inFlight: 0, resetsAtMs: 1, nextSlotAtMs: 1 }

type Store = ReturnType<typeof createRedisBudgetStore>

describeWithRedis('a budget shared through Redis', () => {
  let redis: TestRedis
  let one: Store
  let other: Store

  beforeEach(async () => {
    redis = await startRedis()
    one = createRedisBudgetStore(redis.url)
    other = createRedisBudgetStore(redis.url)
    for (const store of [one, other]) await until('connected', () => answers(store))
  })
  afterEach(async () => {
    one.close()
    other.close()
    await redis.close()
  })

  const read = (store: Store, keys: string[]) => store.update(keys, (known) => ({ allowances: known, result: known }))
  const answers = (store: Store) =>
    read(store, ['a']).then(
      () => true,
      () => false,
    )
  const take = (store: Store, keys: string[]) =>
    store.update(keys, (known) => ({
      allowances: known.map((a) => ({ ...allowance, ...a, inFlight: (a?.inFlight ?? 0) + 1 })),
      result: undefined,
    }))

  it('is known to the other process, several policies at once', async () => {
    expect(await read(other, ['a', 'b'])).toEqual([undefined, undefined])
    await take(one, ['a', 'b'])
    await take(other, ['b'])
    expect((await read(one, ['a', 'b'])).map((known) => known?.inFlight)).toEqual([1, 2])
  })

  it('counts every unit when many take at once', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, n) => take(n % 2 === 0 ? one : other, ['a'])))
    expect((await read(one, ['a']))[0]?.inFlight).toBe(8)
  })

  it('rejects while Redis is away, and works again afterwards', async () => {
    await redis.stop()
    await expect(read(one, ['a'])).rejects.toThrow()
    await redis.restart()
    await until('works again', () => answers(one))
  })
})
