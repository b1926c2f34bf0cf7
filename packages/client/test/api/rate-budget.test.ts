import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BudgetStore, createMemoryBudgetStore } from '../../src/api/budget-store.ts'
import { createRateBudget } from '../../src/api/rate-budget.ts'
import type { ApiRequest, Priority } from '../../src/api/request.ts'

const read = (priority: Priority = 'normal'): ApiRequest => ({
  method: 'GET',
  route: '/prior-authorization/{id}',
  repeatable: true,
  options: { priority },
})

const createOne = (policy: string): ApiRequest => ({
  method: 'POST',
  route: '/prior-authorization',
  repeatable: false,
  charges: { [policy]: 1 },
})

/** A service with one quota a minute, and a budget whose sleep moves the clock. */
function setUp(quota: number, options: { store?: BudgetStore; policy?: string; windowMs?: number } = {}) {
  const { store = createMemoryBudgetStore(), policy = 'read-endpoint-minute', windowMs = 60_000 } = options
  const clock = { at: 1_000_000, now: () => clock.at }
  const slept: number[] = []
  const budget = createRateBudget({
    store,
    clock,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted()
      slept.push(ms)
      clock.at += ms
    },
  })
  let used = 0
  let endsAt = clock.at + windowMs
  let refusals = 0
  const answer = (units = 1) => {
    if (clock.at >= endsAt) {
      used = 0
      endsAt = clock.at + windowMs
    }
    const isRefused = used + units > quota
    if (isRefused) refusals++
    else used += units
    const seconds = Math.ceil((endsAt - clock.at) / 1000)
    return new Headers({
      'RateLimit-Policy': `"${policy}";q=${quota};w=${windowMs / 1000}`,
      RateLimit: `"${policy}";r=${quota - used};t=${seconds}`,
      ...(isRefused ? { 'Retry-After': String(seconds) } : {}),
    })
  }
  const call = async (what: ApiRequest, units = 1, maxWaitMs = 10_000) => {
    const admission = await budget.admit(what, maxWaitMs)
    await admission.settle({ headers: answer(units), isOverLimit: false })
    return admission.waitedMs
  }
  return { budget, clock, slept, call, answer, refusals: () => refusals, used: () => used }
}

describe('the rate budget', () => {
  it('lets everything through while it knows nothing', async () => {
    const { budget } = setUp(1)
    for (let i = 0; i < 5; i++) expect((await budget.admit(read(), 0)).waitedMs).toBe(0)
  })

  it('slows down before the service refuses', async () => {
    const { call, slept, refusals } = setUp(20)
    for (let i = 0; i < 40; i++) await call(read(), 1, 120_000)
    expect(refusals()).toBe(0)
    expect(slept.length).toBeGreaterThan(5)
  })

  it('is never refused once it has learned, at any pace and priority', async () => {
    const step = fc.record({ pauseMs: fc.nat(20_000), priority: fc.constantFrom<Priority>('normal', 'background') })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), fc.array(step, { maxLength: 60 }), async (quota, steps) => {
        const { call, clock, refusals } = setUp(quota)
        for (const { pauseMs, priority } of steps) {
          clock.at += pauseMs
          await call(read(priority), 1, 200_000)
        }
        expect(refusals()).toBe(0)
      }),
    )
  })

  it('counts what is on its way, so that concurrent calls share what is left', async () => {
    const { budget, call, answer } = setUp(10)
    for (let i = 0; i < 5; i++) await call(read())
    const admitted = await Promise.allSettled(Array.from({ length: 9 }, () => budget.admit(read(), 0)))
    const passed = admitted.filter((one) => one.status === 'fulfilled')
    expect(passed.length).toBeLessThanOrEqual(5)
    await Promise.all(passed.map((one) => one.value.settle({ headers: answer(), isOverLimit: false })))
  })

  it('keeps a fifth from background work, and says when to retry', async () => {
    const { call, clock } = setUp(10)
    for (let i = 0; i < 8; i++) await call(read(), 1, 60_000)
    clock.at = 1_000_000 + 30_000
    await expect(call(read('background'))).rejects.toMatchObject({
      code: 'rate_budget_spent',
      retry: { afterMs: expect.any(Number) },
    })
    expect(await call(read())).toBe(0)
  })

  it('keeps methods and routes apart', async () => {
    const { call, budget } = setUp(1)
    await call(read())
    await expect(budget.admit(read(), 0)).rejects.toMatchObject({ code: 'rate_budget_spent' })
    await expect(budget.admit({ ...read(), route: '/benefit-verification/{id}' }, 0)).resolves.toBeDefined()
    const writes = setUp(1, { policy: 'write-endpoint-minute' })
    const write = (method: 'POST' | 'PATCH'): ApiRequest => ({ ...read(), method })
    await writes.call(write('POST'))
    await expect(writes.budget.admit(write('POST'), 0)).rejects.toMatchObject({ code: 'rate_budget_spent' })
    await expect(writes.budget.admit(write('PATCH'), 0)).resolves.toBeDefined()
  })

  it('counts a unit for each drug, all or nothing', async () => {
    const policy = 'bv-drug-24h'
    const create = (drugs: number): ApiRequest => ({
      method: 'POST',
      route: '/benefit-verification',
      repeatable: false,
      charges: { [policy]: drugs },
    })
    const { call, refusals } = setUp(10, { policy, windowMs: 86_400_000 })
    await call(create(4), 4)
    await call(create(4), 4)
    await expect(call(create(3), 3)).rejects.toMatchObject({ code: 'rate_budget_spent' })
    await call(create(2), 2)
    expect(refusals()).toBe(0)
  })

  it('asks again after a minute where a long window is empty and no Retry-After came, since it may slide', async () => {
    const policy = 'pa-create-24h'
    const create = createOne(policy)
    const { call } = setUp(1, { policy, windowMs: 86_400_000 })
    await call(create)
    await expect(call(create)).rejects.toMatchObject({ retry: { afterMs: 60_000 } })
  })

  it('asks again after a minute where calls without an answer used up what was left of a long window', async () => {
    const policy = 'pa-create-24h'
    const create = createOne(policy)
    const { budget, call } = setUp(2, { policy, windowMs: 86_400_000 })
    await call(create)
    await (await budget.admit(create, 0)).settle(undefined)
    await expect(budget.admit(create, 0)).rejects.toMatchObject({ retry: { afterMs: 60_000 } })
  })

  it.each([
    ['a minute', 'read-endpoint-minute', 60_000],
    ['a day', 'pa-create-24h', 86_400_000],
  ])('waits no longer for the quota of %s after the clock was set back by an hour', async (_, policy, windowMs) => {
    const { budget, call, clock } = setUp(3, { policy, windowMs })
    const create = createOne(policy)
    for (let i = 0; i < 3; i++) await call(create)
    await expect(budget.admit(create, 0)).rejects.toMatchObject({ retry: { afterMs: 60_000 } })
    clock.at -= 3_600_000
    await expect(budget.admit(create, 0)).rejects.toMatchObject({ retry: { afterMs: 60_000 } })
    clock.at += 60_000
    await expect(budget.admit(create, 0)).resolves.toBeDefined()
  })

  it('obeys Retry-After over t once refused', async () => {
    const { budget, clock } = setUp(1)
    const admission = await budget.admit(read(), 0)
    await admission.settle({
      headers: new Headers({
        'RateLimit-Policy': '"read-endpoint-minute";q=5;w=60',
        RateLimit: '"read-endpoint-minute";r=0;t=5',
        'Retry-After': '9',
      }),
      isOverLimit: false,
    })
    await expect(budget.admit(read(), 0)).rejects.toMatchObject({ retry: { afterMs: 9_000 } })
    clock.at += 9_000
    await expect(budget.admit(read(), 0)).resolves.toBeDefined()
  })

  it('keeps to a Retry-After of hours, also when an answer that was on its way still says that nothing is left', async () => {
    const create = createOne('pa-create-24h')
    const { budget, clock } = setUp(1)
    const nothingLeft = {
      'RateLimit-Policy': '"pa-create-24h";q=5;w=86400',
      RateLimit: '"pa-create-24h";r=0;t=86400',
    }
    const [accepted, refused] = [await budget.admit(create, 0), await budget.admit(create, 0)]
    await refused.settle({ headers: new Headers({ ...nothingLeft, 'Retry-After': '80000' }), isOverLimit: true })
    await accepted.settle({ headers: new Headers(nothingLeft), isOverLimit: false })
    await expect(budget.admit(create, 0)).rejects.toMatchObject({ retry: { afterMs: 80_000_000 } })
    clock.at += 80_000_000
    await expect(budget.admit(create, 0)).resolves.toBeDefined()
  })

  const after = (seconds?: string) => new Headers(seconds === undefined ? {} : { 'Retry-After': seconds })

  it.each([
    ['for as long as Retry-After says', '7', 7_000],
    ['for a second where no Retry-After came', undefined, 1_000],
  ])('a refusal that names no policy holds back the endpoint for all processes, %s', async (_, seconds, holdMs) => {
    const store = createMemoryBudgetStore()
    const [one, other] = [setUp(1, { store }), setUp(1, { store })]
    await (await one.budget.admit(read(), 0)).settle({ headers: after(seconds), isOverLimit: true })
    await expect(other.budget.admit(read(), 0)).rejects.toMatchObject({ retry: { afterMs: holdMs } })
    await expect(other.budget.admit({ ...read(), route: '/benefit-verification/{id}' }, 0)).resolves.toBeDefined()
    other.clock.at += holdMs
    for (let i = 0; i < 50; i++) expect((await other.budget.admit(read('background'), 0)).waitedMs).toBe(0)
  })

  it('an answer that was on its way neither ends nor prolongs such a hold', async () => {
    const { budget, clock } = setUp(1)
    const [accepted, refused] = [await budget.admit(read(), 0), await budget.admit(read(), 0)]
    await refused.settle({ headers: after('7'), isOverLimit: true })
    clock.at += 2_000
    await accepted.settle({ headers: after(), isOverLimit: false })
    await expect(budget.admit(read(), 0)).rejects.toMatchObject({ retry: { afterMs: 5_000 } })
  })

  it.each([
    ['that names no policy', {}],
    [
      'of a policy',
      { 'RateLimit-Policy': '"read-endpoint-minute";q=60;w=60', RateLimit: '"read-endpoint-minute";r=0;t=5' },
    ],
  ])('a refusal %s holds, though an answer that was on its way says that much is left', async (_, limits) => {
    const { budget, clock } = setUp(1)
    const [accepted, refused] = [await budget.admit(read(), 0), await budget.admit(read(), 0)]
    await refused.settle({ headers: new Headers({ ...limits, 'Retry-After': '7' }), isOverLimit: true })
    clock.at += 2_000
    const muchLeft = {
      'RateLimit-Policy': '"read-endpoint-minute";q=60;w=60',
      RateLimit: '"read-endpoint-minute";r=40;t=50',
    }
    await accepted.settle({ headers: new Headers(muchLeft), isOverLimit: false })
    await expect(budget.admit(read(), 0)).rejects.toMatchObject({ retry: { afterMs: 5_000 } })
    clock.at += 5_000
    await (await budget.admit(read(), 0)).settle({ headers: new Headers(muchLeft), isOverLimit: false })
    await expect(budget.admit(read(), 0)).resolves.toBeDefined()
  })

  it('keeps to the remainder that an answer states, even after a refusal that stated none', async () => {
    const { budget, clock } = setUp(1)
    await (await budget.admit(read(), 0)).settle({ headers: after('1'), isOverLimit: true })
    clock.at += 1_000
    const headers = new Headers({ RateLimit: '"read-endpoint-minute";r=0;t=30' })
    await (await budget.admit(read(), 0)).settle({ headers, isOverLimit: false })
    await expect(budget.admit(read(), 0)).rejects.toMatchObject({ retry: { afterMs: 30_000 } })
  })

  it('obeys an undocumented policy', async () => {
    const { call, budget } = setUp(1, { policy: 'brand-new' })
    await call(read())
    await expect(budget.admit(read(), 0)).rejects.toMatchObject({ code: 'rate_budget_spent' })
  })

  it('asks again after a quota of nothing', async () => {
    const { budget, clock } = setUp(1)
    await (
      await budget.admit(read(), 0)
    ).settle({
      headers: new Headers({
        'RateLimit-Policy': '"read-endpoint-minute";q=0;w=60',
        RateLimit: '"read-endpoint-minute";r=0;t=60',
      }),
      isOverLimit: false,
    })
    await expect(budget.admit(read('background'), 0)).rejects.toMatchObject({ code: 'rate_budget_spent' })
    clock.at += 60_000
    await expect(budget.admit(read('background'), 0)).resolves.toBeDefined()
  })

  it('returns what an aborted request had reserved', async () => {
    const { call, budget } = setUp(8)
    for (let i = 0; i < 7; i++) await call(read(), 1, 60_000)
    const options = { signal: AbortSignal.abort('enough') }
    await expect(budget.admit({ ...read(), options }, 60_000)).rejects.toBe('enough')
    await expect(budget.admit(read(), 60_000)).resolves.toBeDefined()
  })

  it('reserves nothing for a request that would wait too long, and returns what a cancelled one had reserved', async () => {
    const paced = setUp(8)
    for (let i = 0; i < 7; i++) await paced.call(read(), 1, 60_000)
    const refused: unknown = await paced.budget.admit(read(), 0).catch((error: unknown) => error)
    const { waitedMs } = await paced.budget.admit(read(), 60_000)
    expect(refused).toMatchObject({ code: 'rate_budget_spent', retry: { afterMs: Math.ceil(waitedMs) } })

    const { call, budget } = setUp(2, { windowMs: 3_600_000 })
    await call(read())
    const last = await budget.admit(read(), 0)
    await expect(budget.admit(read(), 0)).rejects.toMatchObject({ code: 'rate_budget_spent' })
    await last.cancel()
    await expect(budget.admit(read(), 0)).resolves.toBeDefined()
  })

  it('uses a memory of its own while its store fails', async () => {
    const store: BudgetStore = { update: () => Promise.reject(new Error('store gone')) }
    const { call, budget } = setUp(1, { store })
    expect(await call(read())).toBe(0)
    await expect(budget.admit(read(), 0)).rejects.toMatchObject({ code: 'rate_budget_spent' })
    expect((await setUp(1, { store }).budget.admit(read(), 0)).waitedMs).toBe(0)
  })
})
