import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRateBudget } from '../../src/api/rate-budget.ts'
import { createRedisBudgetStore } from '../../src/api/redis-budget-store.ts'
import type { ApiRequest } from '../../src/api/request.ts'
import { systemClock } from '../../../base/src/clock.ts'
import { startRelay } from '../../../../test/support/relay.ts'
import { describeWithRedis, startRedis, type TestRedis } from '../../../../test/support/redis.ts'
import { until } from '../../../../test/support/until.ts'
import { answers, read, reserveOne } from './budget-moves.ts'

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
    await reserveOne(one, ['a', 'b'])
    await reserveOne(other, ['b'])
    expect((await read(one, ['a', 'b'])).map((known) => known?.inFlight)).toEqual([1, 2])
  })

  it('counts every unit when many reserve at once', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, n) => reserveOne(n % 2 === 0 ? one : other, ['a'])))
    expect((await read(one, ['a']))[0]?.inFlight).toBe(8)
  })

  it('rejects while Redis is away, and works again afterwards', async () => {
    await redis.stop()
    await expect(read(one, ['a'])).rejects.toThrow()
    await redis.restart()
    await until('works again', () => answers(one))
  })

  it('leaves a server that a failover demoted for the new primary', async () => {
    const next = await startRedis()
    const portOf = ({ url }: TestRedis) => Number(new URL(url).port)
    const relay = await startRelay(portOf(redis))
    const store = createRedisBudgetStore(`redis://127.0.0.1:${relay.port}`)
    await until('connected', () => answers(store))
    await redis.follow(next)
    relay.leadTo(portOf(next))
    await until('a unit is reserved', () =>
      reserveOne(store, ['a']).then(
        () => true,
        () => false,
      ),
    )
    expect(await next.keys()).toEqual(['pawl:budget:a'])
    store.close()
    await relay.close()
    await next.close()
  })

  it('lets calls go on while Redis hangs, each process by what it learns itself, and shares again afterwards', async () => {
    const call: ApiRequest = { method: 'GET', route: '/prior-authorization/{id}', repeatable: true }
    const budgetOn = (store: Store) => createRateBudget({ store, clock: systemClock, sleep: async () => {} })
    const headers = new Headers({
      'RateLimit-Policy': '"read-endpoint-minute";q=1;w=60',
      RateLimit: '"read-endpoint-minute";r=0;t=60',
      'Retry-After': '3600',
    })
    const nothingLeft = { headers, isOverLimit: true }
    const spent = { code: 'rate_budget_spent' }
    const [here, there] = [budgetOn(one), budgetOn(other)]
    redis.pause()
    const admission = await here.admit(call, 0)
    await admission.settle(nothingLeft)
    await expect(here.admit(call, 0)).rejects.toMatchObject(spent)
    await expect(there.admit(call, 0)).resolves.toMatchObject({ waitedMs: 0 })
    redis.resume()
    for (const store of [one, other]) await until('works again', () => answers(store))
    await (await here.admit(call, 0)).settle(nothingLeft)
    await expect(there.admit(call, 0)).rejects.toMatchObject(spent)
  })
})
