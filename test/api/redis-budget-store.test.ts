import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRedisBudgetStore } from '../../src/api/redis-budget-store.ts'
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { answers, read, take } from './budget-moves.ts'

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
