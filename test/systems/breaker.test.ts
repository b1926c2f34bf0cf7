import { describe, expect, it } from 'vitest'
import {
  ApiNotFound,
  ApiOutcomeUnknown,
  ApiUnavailable,
  ApiUnreachable,
  RateBudgetSpent,
  RateLimited,
} from '../../packages/client/src/api/api-errors.ts'
import { EhrWriteFailed } from '../../packages/ehr/src/ehr-write-failed.ts'
import { ConnectorNotConfigured } from '../../packages/connector/src/not-configured.ts'
import { ClaimLost } from '../../packages/ledger/src/hot/claim.ts'
import { createBreaker } from '../../src/systems/breaker.ts'
import { SystemDown } from '../../src/systems/system-down.ts'
import { Stopping } from '../../src/work/stopping.ts'
import { callThrough } from './call-through.ts'
import { cooldownMs, simulate } from './simulate.ts'

const place = { method: 'GET', route: '/status' }
const unavailable = new ApiUnavailable(place, 'backoff')
const failed = (status: number) =>
  new EhrWriteFailed({
    resourceType: 'Task',
    resourceId: 'pa_req_1',
    reason: `HTTP ${status}`,
    retry: status >= 500 ? 'backoff' : 'never',
    isOutage: status >= 500,
    mayBeOutage: status < 500 && status !== 422,
  })
const hourMs = 3_600_000

/** A breaker with a time that only the test moves. */
function startBreaker() {
  const said: string[] = []
  const time = { now: 0 }
  const breaker = createBreaker({
    system: 'ehr',
    cooldownMs,
    elapsed: () => time.now,
    onAway: () => said.push('away'),
    onBack: () => said.push('back'),
  })
  return {
    breaker,
    time,
    said,
    fail: (id: string, error: Error) =>
      callThrough(breaker, id, () => Promise.reject(error)).then(
        () => undefined,
        (thrown: unknown) => thrown,
      ),
    pass: (id: string) => callThrough(breaker, id, () => Promise.resolve('well')),
    /** Five resources meet an outage. */
    async open() {
      for (let n = 0; n < 5; n += 1)
        await callThrough(breaker, `pa_req_found_${n}`, () => Promise.reject(unavailable)).catch(() => {})
      expect(breaker.state()).toBe('open')
    },
  }
}

function many(count: number, prefix: string, at: (n: number) => number = () => 0): [string, number][] {
  return Array.from({ length: count }, (_, n) => [`${prefix}_${n}`, at(n)])
}

describe('a call that shows nothing about the system', () => {
  const silent = {
    'is held back by the rate budget': new RateBudgetSpent(place, { afterMs: 60_000 }),
    'is over a rate limit': new RateLimited(place, { afterMs: 60_000 }),
    'has lost its claim': new ClaimLost('The lease has ended.'),
    'is stopped with its process': new Stopping('The process is stopping.'),
    'is aborted': new DOMException('This operation was aborted', 'AbortError'),
    'has a fault of its own': new TypeError('cannot read properties of undefined'),
    'was for a system without settings': new ConnectorNotConfigured('FHIR_BASE_URL'),
    'waits for another system': new SystemDown('api', 1_000),
    'carries what the system does not take': failed(422),
  }
  for (const [what, error] of Object.entries(silent)) {
    it(`because it ${what} neither opens nor closes a breaker`, async () => {
      const { breaker, time, said, fail, open, pass } = startBreaker()
      for (let n = 0; n < 20; n += 1) expect(await fail(`pa_req_${n}`, error)).toBe(error)
      expect(breaker.state()).toBe('closed')
      await open()
      time.now += cooldownMs
      expect(await fail('pa_req_probe', error)).toBe(error)
      expect({ state: breaker.state(), said }).toEqual({ state: 'open', said: ['away'] })
      // Nor does it take the turn of one that asks.
      await pass('pa_req_healthy')
      expect({ state: breaker.state(), said }).toEqual({ state: 'closed', said: ['away', 'back'] })
    })
  }
})

it('a breaker stays open when an answer to a request before the outage arrives', async () => {
  const { breaker, open } = startBreaker()
  let answer: (text: string) => void = () => {}
  const slow = callThrough(breaker, 'pa_req_slow', () => new Promise<string>((resolve) => (answer = resolve)))
  await open()
  answer('well')
  expect(await slow).toBe('well')
  expect(breaker.state()).toBe('open')
})

it('a breaker ignores the failure of a request from before the recovery, at no cost', async () => {
  const { breaker, time, open, pass } = startBreaker()
  const fails: (() => void)[] = []
  const slow = Array.from({ length: 10 }, (_, n) =>
    callThrough(breaker, `pa_req_slow_${n}`, () => new Promise((_, reject) => fails.push(() => reject(unavailable)))),
  )
  await open()
  time.now += cooldownMs
  await pass('pa_req_healthy')
  for (const fail of fails) fail()
  for (const settled of await Promise.allSettled(slow))
    expect(settled).toMatchObject({ status: 'rejected', reason: { code: 'system_down', costsAttempt: false } })
  expect(breaker.state()).toBe('closed')
})

it('SystemDown names the system and the reason, and delays by at most a cooldown', async () => {
  const { time, fail, open } = startBreaker()
  await open()
  time.now += 5_000
  expect(await fail('pa_req_1', unavailable)).toMatchObject({
    message: 'The system ehr is away (api_unavailable); the work waits until it is back.',
    system: 'ehr',
    retry: { afterMs: cooldownMs - 5_000 },
  })
  time.now += 10_000
  expect(await fail('pa_req_1', failed(503))).toMatchObject({
    message: 'The system ehr is away (HTTP 503); the work waits until it is back.',
    costsAttempt: false,
  })
})

it('a breaker stops waiting for a probe that never answers', async () => {
  const { breaker, time, open, pass } = startBreaker()
  await open()
  time.now += cooldownMs
  void callThrough(breaker, 'pa_req_hangs', () => new Promise(() => {}))
  await expect(pass('pa_req_1')).rejects.toThrow(SystemDown)
  expect(breaker.state()).toBe('half_open')
  time.now += cooldownMs * 4
  await pass('pa_req_1')
  expect(breaker.state()).toBe('closed')
})

describe('poison resources', () => {
  for (const count of [1, 2, 10]) {
    it(`${count} that always fail, with no other work, are parked in the end`, async () => {
      const { fates } = await simulate({
        startsAt: new Map(many(count, 'poison')),
        answer: () => failed(500),
        untilMs: 40 * hourMs,
      })
      for (const fate of fates.values()) {
        expect(fate.parkedAt).toBeDefined()
        expect(fate.told.at(-1)).toBe('ehr_write_failed')
      }
    })
  }

  it('ten that are always refused, with no other work, are parked in the end', async () => {
    const { fates } = await simulate({
      startsAt: new Map(many(10, 'poison')),
      answer: () => failed(403),
      untilMs: 40 * hourMs,
    })
    expect([...fates.values()].every(({ parkedAt }) => parkedAt !== undefined)).toBe(true)
  })

  // Before them, after them, among them, and while new work keeps coming.
  const arrivals: Record<string, (n: number) => number> = {
    'at once': () => 1,
    'in the next ten minutes': (n) => n * 6_000,
    'in bursts': (n) => Math.floor(n / 20) * 40_000,
  }
  for (const [when, healthyAt] of Object.entries(arrivals)) {
    for (const seed of [1, 2, 3, 4, 5]) {
      it(`ten never block a hundred healthy ones that come ${when} for two cooldowns, and are parked (seed ${seed})`, async () => {
        const healthy = many(100, 'healthy', healthyAt)
        const { fates } = await simulate({
          startsAt: new Map([...many(10, 'poison'), ...healthy]),
          answer: (id) => (id.startsWith('poison') ? failed(500) : undefined),
          untilMs: 24 * hourMs,
          seed,
        })
        for (const [id, at] of healthy) expect((fates.get(id)?.passedAt ?? Infinity) - at).toBeLessThan(2 * cooldownMs)
        const parked = [...fates].filter(([, { parkedAt }]) => parkedAt !== undefined).map(([id]) => id)
        expect(parked).toEqual(many(10, 'poison').map(([id]) => id))
      })
    }
  }

  it('do not reopen the breaker after others have passed', async () => {
    const { openings } = await simulate({
      startsAt: new Map([...many(10, 'poison'), ...many(100, 'healthy', (n) => n * 6_000)]),
      answer: (id) => (id.startsWith('poison') ? failed(500) : undefined),
      untilMs: 24 * hourMs,
    })
    expect(openings).toHaveLength(1)
  })
})

describe('a system that no connection reaches', () => {
  const unreached = new ApiUnreachable(place, 'ECONNREFUSED', false)

  for (const [count, hours] of [
    [1, 10],
    [1, 24],
    [3, 24],
  ] as const)
    it(`costs ${count} pieces of work no attempt in ${hours} hours, is away after a minute, and gets the work once it is back`, async () => {
      const backAt = hours * hourMs + 7_000
      const { fates, openings, calls } = await simulate({
        startsAt: new Map(many(count, 'pa')),
        answer: (_, now) => (now < backAt ? unreached : undefined),
        untilMs: backAt + 4 * hourMs,
      })
      for (const { attempts, passedAt = Infinity } of fates.values()) {
        expect(attempts).toBe(0)
        expect(passedAt - backAt).toBeLessThan(cooldownMs * 3)
      }
      expect(openings).toHaveLength(1)
      expect(openings[0]).toBeLessThan(60_000)
      expect(calls()).toBeLessThan(count * 10 + (4 * backAt) / cooldownMs)
    })

  it('for some work only, neither parks that nor keeps others waiting, and is tried again every few minutes', async () => {
    const healthy = many(1_000, 'healthy', (n) => n * 2_000)
    const { fates, openings, calls } = await simulate({
      startsAt: new Map([...many(10, 'cut_off'), ...healthy]),
      answer: (id, now) => (id.startsWith('cut_off') && now < hourMs ? unreached : undefined),
      untilMs: 3 * hourMs,
    })
    for (const [id, at] of healthy) expect((fates.get(id)?.passedAt ?? Infinity) - at).toBeLessThan(2 * cooldownMs)
    for (const [id] of many(10, 'cut_off')) {
      expect(fates.get(id)?.attempts).toBe(0)
      expect(fates.get(id)?.passedAt ?? Infinity).toBeLessThan(hourMs + 600_000)
    }
    expect(openings.length).toBeLessThanOrEqual(2)
    expect(calls()).toBeLessThan(1_600)
  })
})

describe('a breaker opens', () => {
  it('at the fifth failure with no success in between, of two resources at least', async () => {
    const { breaker, fail, pass } = startBreaker()
    for (let n = 0; n < 10; n += 1) await fail('pa_req_1', unavailable)
    expect(breaker.state()).toBe('closed')
    await pass('pa_req_well')
    for (const id of ['pa_req_2', 'pa_req_2', 'pa_req_3', 'pa_req_3']) await fail(id, unavailable)
    expect(breaker.state()).toBe('closed')
    expect(await fail('pa_req_3', unavailable)).toMatchObject({ code: 'system_down', costsAttempt: false })
    expect(breaker.state()).toBe('open')
  })

  it('at the fourth refused resource with no success in between, at no cost to any of them', async () => {
    const { breaker, fail } = startBreaker()
    for (const id of ['pa_req_1', 'pa_req_1', 'pa_req_2', 'pa_req_3'])
      expect(await fail(id, failed(403))).toMatchObject({ code: 'refusal_unconfirmed', costsAttempt: false })
    expect(breaker.state()).toBe('closed')
    expect(await fail('pa_req_4', failed(403))).toMatchObject({ code: 'system_down', costsAttempt: false })
    expect(breaker.state()).toBe('open')
  })
})

describe('an outage', () => {
  it('is detected by writes with 5xx answers, too', async () => {
    const { breaker, fail } = startBreaker()
    const unknown = new ApiOutcomeUnknown({ method: 'POST', route: '/pa/{id}/cancel' }, 'status 502', true)
    for (let n = 0; n < 5; n += 1) await fail(`pa_req_${n}`, unknown)
    expect(breaker.state()).toBe('open')
  })

  for (const [what, count, outageMs] of [
    ['a minute', 40, 60_000],
    ['an hour', 40, hourMs],
    ['three hours', 100, 3 * hourMs],
  ] as const) {
    it(`of ${what} parks nothing, and work resumes within one and a half cooldowns of the recovery`, async () => {
      const backAt = outageMs + 7_000
      const { fates, closings, calls } = await simulate({
        startsAt: new Map(many(count, 'pa', (n) => (n * outageMs) / count)),
        answer: (_, now) => (now < backAt ? failed(503) : undefined),
        untilMs: backAt + 4 * hourMs,
      })
      expect([...fates.values()].filter(({ parkedAt }) => parkedAt !== undefined)).toEqual([])
      expect(closings).toHaveLength(1)
      expect((closings[0] ?? Infinity) - backAt).toBeLessThan(cooldownMs * 1.5)
      // It was left alone meanwhile.
      expect(calls()).toBeLessThan(count + (4 * outageMs) / cooldownMs + 10)
      const late = [...fates.values()].filter(({ passedAt = Infinity }) => passedAt - backAt > cooldownMs * 2)
      expect(late.length).toBeLessThan(count / 10)
    })
  }

  it('of a day that affects ten resources parks none of them', async () => {
    const { fates } = await simulate({
      startsAt: new Map(many(10, 'pa')),
      answer: (_, now) => (now < 24 * hourMs ? failed(503) : undefined),
      untilMs: 30 * hourMs,
    })
    expect([...fates.values()].filter(({ passedAt }) => passedAt === undefined)).toEqual([])
  })

  it('is announced once, and its end once', async () => {
    const { breaker, time, said, open, pass } = startBreaker()
    await open()
    time.now += cooldownMs
    await pass('pa_req_1')
    await pass('pa_req_2')
    expect({ said, state: breaker.state() }).toEqual({ said: ['away', 'back'], state: 'closed' })
  })
})

describe('a refusal that may concern every request', () => {
  for (const [what, error] of [
    ['403 from the chart', failed(403)],
    ['404 from the API', new ApiNotFound(place, 'pa_req_1')],
  ] as const) {
    it(`such as ${what}, for five seconds and of a hundred resources, parks nothing`, async () => {
      const { fates, openings } = await simulate({
        startsAt: new Map(many(100, 'pa', (n) => n * 50)),
        answer: (_, now) => (now < 5_000 ? error : undefined),
        untilMs: hourMs,
      })
      expect(openings).toHaveLength(1)
      for (const { attempts, passedAt = Infinity } of fates.values()) {
        expect(attempts).toBe(0)
        expect(passedAt).toBeLessThan(5_000 + 2 * cooldownMs)
      }
    })

    it(`such as ${what}, amid passing work, parks nothing`, async () => {
      const isRefused = (now: number) => now > 30_000 && now < 90_000
      const { fates } = await simulate({
        startsAt: new Map(many(300, 'pa', (n) => n * 500)),
        answer: (_, now) => (isRefused(now) ? error : undefined),
        untilMs: hourMs,
      })
      expect([...fates.values()].filter(({ passedAt }) => passedAt === undefined)).toEqual([])
    })

    it(`such as ${what}, of one resource beside passing ones parks that one, and opens nothing`, async () => {
      const { fates, openings } = await simulate({
        startsAt: new Map([['pa_refused', 5_000], ...many(100, 'pa', (n) => n * 500)]),
        answer: (id) => (id === 'pa_refused' ? error : undefined),
        untilMs: hourMs,
      })
      expect(fates.get('pa_refused')).toMatchObject({ told: ['refusal_unconfirmed', error.code] })
      expect(fates.get('pa_refused')?.parkedAt).toBeLessThan(5_000 + 2 * cooldownMs)
      expect(openings).toEqual([])
    })

    it(`such as ${what}, of one resource with no other work parks it after two cooldowns`, async () => {
      const { fates, openings } = await simulate({
        startsAt: new Map([['pa_refused', 0]]),
        answer: () => error,
        untilMs: hourMs,
      })
      expect(fates.get('pa_refused')?.parkedAt).toBeGreaterThanOrEqual(2 * cooldownMs)
      expect(fates.get('pa_refused')?.parkedAt).toBeLessThan(4 * cooldownMs)
      expect(openings).toEqual([])
    })
  }

  it('parks its resource even if another call of the same work passes each time', async () => {
    const { time, fail, pass } = startBreaker()
    for (const code of ['refusal_unconfirmed', 'refusal_unconfirmed', 'ehr_write_failed']) {
      await pass('pa_refused')
      expect(await fail('pa_refused', failed(403))).toMatchObject({ code })
      time.now += cooldownMs
    }
  })

  it('of ten resources beside a hundred passing ones parks the ten, and delays no other for two cooldowns', async () => {
    const healthy = many(100, 'healthy', (n) => n * 1_000)
    const { fates } = await simulate({
      startsAt: new Map([...many(10, 'refused'), ...healthy]),
      answer: (id) => (id.startsWith('refused') ? failed(403) : undefined),
      untilMs: hourMs,
    })
    for (const [id, at] of healthy) expect((fates.get(id)?.passedAt ?? Infinity) - at).toBeLessThan(2 * cooldownMs)
    for (const [id] of many(10, 'refused')) expect(fates.get(id)?.parkedAt).toBeLessThan(10 * cooldownMs)
  })
})

it('a breaker in any state rethrows an unknown outcome, which must not be retried unseen', async () => {
  const { breaker, time, fail, open } = startBreaker()
  const unknown = new ApiOutcomeUnknown({ method: 'POST', route: '/pa' }, 'status 502', false)
  await open()
  time.now += cooldownMs
  expect(await fail('pa_req_1', unknown)).toBe(unknown)
  expect(breaker.state()).toBe('open')
})
