import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPostgresBudgetStore } from '../../src/api/postgres-budget-store.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../../../../test/support/postgres.ts'
import { until } from '../../../../test/support/until.ts'
import { answers, read, reserveOne } from './budget-moves.ts'

type Store = ReturnType<typeof createPostgresBudgetStore>

describeWithPostgres('a budget shared through PostgreSQL', () => {
  let postgres: TestPostgres
  let one: Store
  let other: Store

  beforeEach(async () => {
    postgres = await startPostgres()
    const url = await postgres.createDatabase()
    one = createPostgresBudgetStore(url)
    other = createPostgresBudgetStore(url)
  })
  afterEach(async () => {
    await Promise.all([one.close(), other.close()])
    await postgres.close()
  })

  const worksAgain = () => until('works again', () => answers(one))

  it('is known to the other process, several policies at once', async () => {
    expect(await Promise.all([read(one, ['a', 'b']), read(other, ['a', 'b'])])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ])
    await reserveOne(one, ['a', 'b'])
    await reserveOne(other, ['b'])
    expect((await read(one, ['a', 'b'])).map((known) => known?.inFlight)).toEqual([1, 2])
  })

  it('counts every unit when many reserve at once, with the policies in any order', async () => {
    const orders = [
      ['a', 'b', 'c'],
      ['c', 'b', 'a'],
      ['b', 'a'],
    ]
    await Promise.all(
      Array.from({ length: 30 }, (_, n) => reserveOne(n % 2 === 0 ? one : other, orders[n % orders.length] ?? [])),
    )
    expect((await read(one, ['a', 'b', 'c'])).map((known) => known?.inFlight)).toEqual([30, 30, 20])
  })

  it('rejects while PostgreSQL is away, and works again afterwards', async () => {
    await reserveOne(one, ['a'])
    await postgres.kill()
    await expect(read(one, ['a'])).rejects.toThrow()
    await postgres.start()
    await worksAgain()
  })

  it('rejects in bounded time while PostgreSQL hangs, and closes although it does', async () => {
    await reserveOne(one, ['a'])
    postgres.pause()
    await expect(read(one, ['a'])).rejects.toThrow()
    await other.close()
    postgres.resume()
    await worksAgain()
  })

  it('works on after its connections were cut', async () => {
    await reserveOne(one, ['a'])
    await postgres.cutConnections()
    await worksAgain()
    expect((await read(one, ['a']))[0]?.inFlight).toBe(1)
  })
})
