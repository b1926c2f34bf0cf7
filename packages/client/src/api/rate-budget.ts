import type { Clock } from '@pawl/base/clock'
import type { HeaderReader } from '@pawl/base/net/fetch'
import { readRetryAfter } from '@pawl/base/net/retry-after'
import { type Allowance, hold, learn, unreserve, renew, type Room, roomFor, reserve } from './allowance.ts'
import { type BudgetStore, createMemoryBudgetStore } from './budget-store.ts'
import { RateBudgetSpent } from './api-errors.ts'
import { readRateLimits } from './read-rate-limits.ts'
import type { ApiRequest } from './request.ts'

/** Rate limit information of an answer. */
export interface RateAnswer {
  headers: HeaderReader
  /** The service refused the request for its rate. */
  isOverLimit: boolean
}

/** Permission to send a request. */
export interface Admission {
  /** Milliseconds that the request waited. */
  waitedMs: number
  /** Call once with the answer, or undefined if none came. Never rejects. */
  settle(answer: RateAnswer | undefined): Promise<void>
  /** Call instead of `settle` if the request is not sent. Never rejects. */
  cancel(): Promise<void>
}

/** Keeps requests within the rate limits that the service announces in its answers (specification, Limits). */
export interface RateBudget {
  /** Waits until the request fits. Throws RateBudgetSpent when that would take longer than `maxWaitMs`, and the reason of the request's aborted signal. */
  admit(request: ApiRequest, maxWaitMs: number): Promise<Admission>
}

interface Charge {
  key: string
  policy: string
  units: number
}

const unitsOf = (charges: readonly Charge[], index: number) => charges[index]?.units ?? 0

/** Backoff of an endpoint after a rate refusal without Retry-After. Milliseconds. */
const defaultHoldMs = 1_000

/** Policies with one allowance for the whole organization, across endpoints (specification, Limits). */
const organizationWide: ReadonlySet<string> = new Set(['rtbv-drug-minute', 'bv-drug-24h', 'pa-create-24h'])

/** Makes a budget on top of a store. While the store fails, the process falls back to its own memory and learns the limits from answers; the service enforces them anyway. */
export function createRateBudget(deps: {
  store: BudgetStore
  clock: Clock
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}): RateBudget {
  const { clock, sleep } = deps
  const ownStore = createMemoryBudgetStore()
  /** Undocumented policies from answers, by endpoint. */
  const undocumented = new Map<string, Set<string>>()

  function chargesOf(request: ApiRequest): Charge[] {
    const endpoint = `${request.method} ${request.route}`
    const own = [request.method === 'GET' ? 'read-endpoint-minute' : 'write-endpoint-minute']
    const perEndpoint = [...own, ...(undocumented.get(endpoint) ?? [])]
    const charges = perEndpoint.map((policy) => ({ key: `${policy} ${endpoint}`, policy, units: 1 }))
    const wide = Object.entries(request.charges ?? {})
    return [...charges, ...wide.map(([policy, units]) => ({ key: policy, policy, units }))]
  }

  /** Resolves with the store that worked, so that the rest of the request uses the same one. */
  async function inWorkingStore<T>(act: (store: BudgetStore) => Promise<T>): Promise<{ store: BudgetStore; done: T }> {
    try {
      return { store: deps.store, done: await act(deps.store) }
    } catch {
      return { store: ownStore, done: await act(ownStore) }
    }
  }

  function change(
    store: BudgetStore,
    charges: Charge[],
    each: (known: Allowance, units: number) => Allowance,
  ): Promise<void> {
    const keys = charges.map((charge) => charge.key)
    return store.update(keys, (known) => ({
      allowances: known.map((allowance, index) => allowance && each(allowance, unitsOf(charges, index))),
      result: undefined,
    }))
  }

  function reserveAll(store: BudgetStore, request: ApiRequest, charges: Charge[], maxWaitMs: number): Promise<Room> {
    const now = clock.now()
    const keys = charges.map((charge) => charge.key)
    return store.update<Room>(keys, (known) => {
      const current = known.map((allowance) => allowance && renew(allowance, now))
      const priority = request.options?.priority ?? 'normal'
      const rooms = current.flatMap((allowance, index) =>
        allowance ? roomFor(allowance, unitsOf(charges, index), priority, now) : [],
      )
      const waitMs = Math.max(0, ...rooms.filter((room) => !room.fits).map((room) => room.waitMs))
      if (waitMs > 0) return { allowances: current, result: { fits: false, waitMs } }
      const paceMs = Math.max(0, ...rooms.map((room) => room.waitMs))
      if (paceMs > maxWaitMs) return { allowances: current, result: { fits: false, waitMs: paceMs } }
      const reserved = current.map(
        (allowance, index) => allowance && reserve(allowance, unitsOf(charges, index), now + paceMs),
      )
      return { allowances: reserved, result: { fits: true, waitMs: paceMs } }
    })
  }

  function learnAll(
    store: BudgetStore,
    request: ApiRequest,
    charges: Charge[],
    answer: RateAnswer | undefined,
  ): Promise<void> {
    const now = clock.now()
    const headers = answer?.headers
    const readings = headers === undefined ? [] : readRateLimits(headers)
    const retryAfterMs = headers === undefined ? undefined : readRetryAfter(headers.get('retry-after'), now)
    // The answer does not name the exceeded policy; the endpoint's own is the likeliest.
    const isUnnamed = answer?.isOverLimit === true && readings.length === 0
    const uncharged = readings.filter((reading) => !charges.some((charge) => charge.policy === reading.name))
    const discovered = uncharged.map(({ name }): Charge => {
      const endpoint = `${request.method} ${request.route}`
      const isWide = organizationWide.has(name)
      if (!isWide) undocumented.set(endpoint, (undocumented.get(endpoint) ?? new Set()).add(name))
      return { key: isWide ? name : `${name} ${endpoint}`, policy: name, units: 0 }
    })
    const all = [...charges, ...discovered]
    const keys = all.map((charge) => charge.key)
    return store.update(keys, (known) => ({
      allowances: all.map(({ policy, units }, index) => {
        const reading = readings.find(({ name }) => name === policy)
        const before = known[index] && renew(known[index], now)
        if (isUnnamed && index === 0) return hold(before, units, retryAfterMs ?? defaultHoldMs, now)
        return learn(before, { units, reading, retryAfterMs }, now)
      }),
      result: undefined,
    }))
  }

  return {
    async admit(request, maxWaitMs) {
      const charges = chargesOf(request)
      for (let waitedMs = 0; ;) {
        const { store, done: room } = await inWorkingStore((each) =>
          reserveAll(each, request, charges, maxWaitMs - waitedMs),
        )
        if (waitedMs + room.waitMs > maxWaitMs) throw new RateBudgetSpent(request, { afterMs: Math.ceil(room.waitMs) })
        const giveBack = () => change(store, charges, unreserve).catch(() => {})
        try {
          if (room.waitMs > 0) await sleep(room.waitMs, request.options?.signal)
        } catch (error) {
          if (room.fits) await giveBack()
          throw error
        }
        waitedMs += room.waitMs
        if (room.fits)
          return {
            waitedMs,
            settle: (answer) => learnAll(store, request, charges, answer).catch(() => {}),
            cancel: giveBack,
          }
      }
    },
  }
}
