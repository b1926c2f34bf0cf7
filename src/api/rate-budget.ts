import type { Clock } from '../clock.ts'
import type { HeaderReader } from '../fetch.ts'
import { readRetryAfter } from '../retry-after.ts'
import { type Allowance, learned, putBack, renewed, type Room, roomFor, setAside } from './allowance.ts'
import { type BudgetStore, createMemoryBudgetStore } from './budget-store.ts'
import { RateBudgetSpent } from './errors.ts'
import { readRateLimits } from './rate-limit-headers.ts'
import type { Call } from './request.ts'

/** A call's leave to go out. */
export interface Admission {
  /** Milliseconds that the call waited for it. */
  waitedMs: number
  /** To be called once, with the headers of the answer, or with undefined where none came. Never rejects. */
  settle(headers: HeaderReader | undefined): Promise<void>
}

/** Keeps calls inside the rate limits that the service's answers tell of (specification, Limits). */
export interface RateBudget {
  /** Waits until the call fits. Throws RateBudgetSpent when that takes over `maxWaitMs`, and the reason of the call's aborted signal. */
  admit(call: Call, maxWaitMs: number): Promise<Admission>
}

interface Charge {
  key: string
  policy: string
  units: number
}

const unitsOf = (charges: readonly Charge[], index: number) => charges[index]?.units ?? 0

/** Policies that the organization has once, whatever the endpoint (specification, Limits). */
const organizationWide: ReadonlySet<string> = new Set(['rtbv-drug-minute', 'bv-drug-24h', 'pa-create-24h'])

/** Makes a budget upon a store. While the store fails, the process goes by a memory of its own, which knows only what it learns meanwhile: the service has the last word anyway. */
export function createRateBudget(deps: {
  store: BudgetStore
  clock: Clock
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}): RateBudget {
  const { clock, sleep } = deps
  const ownStore = createMemoryBudgetStore()
  /** Policies beyond the documented ones that answers on an endpoint told of. */
  const undocumented = new Map<string, Set<string>>()

  function chargesOf(call: Call): Charge[] {
    const endpoint = `${call.method} ${call.route}`
    const own = [call.method === 'GET' ? 'read-endpoint-minute' : 'write-endpoint-minute']
    const perEndpoint = [...own, ...(undocumented.get(endpoint) ?? [])]
    const charges = perEndpoint.map((policy) => ({ key: `${policy} ${endpoint}`, policy, units: 1 }))
    const wide = Object.entries(call.charges ?? {})
    return [...charges, ...wide.map(([policy, units]) => ({ key: policy, policy, units }))]
  }

  /** Resolves with the store that knows of what was done, so that the rest of a call goes to the same one. */
  async function inAStore<T>(act: (store: BudgetStore) => Promise<T>): Promise<{ store: BudgetStore; done: T }> {
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

  function reserve(store: BudgetStore, call: Call, charges: Charge[], maxWaitMs: number): Promise<Room> {
    const now = clock.now()
    const keys = charges.map((charge) => charge.key)
    return store.update<Room>(keys, (known) => {
      const current = known.map((allowance) => allowance && renewed(allowance, now))
      const priority = call.options?.priority ?? 'normal'
      const rooms = current.flatMap((allowance, index) =>
        allowance ? roomFor(allowance, unitsOf(charges, index), priority, now) : [],
      )
      const waitMs = Math.max(0, ...rooms.filter((room) => !room.fits).map((room) => room.waitMs))
      if (waitMs > 0) return { allowances: current, result: { fits: false, waitMs } }
      const paceMs = Math.max(0, ...rooms.map((room) => room.waitMs))
      if (paceMs > maxWaitMs) return { allowances: current, result: { fits: false, waitMs: paceMs } }
      const taken = current.map(
        (allowance, index) => allowance && setAside(allowance, unitsOf(charges, index), now + paceMs),
      )
      return { allowances: taken, result: { fits: true, waitMs: paceMs } }
    })
  }

  function learn(store: BudgetStore, call: Call, charges: Charge[], headers: HeaderReader | undefined): Promise<void> {
    const now = clock.now()
    const readings = headers === undefined ? [] : readRateLimits(headers)
    const retryAfterMs = headers === undefined ? undefined : readRetryAfter(headers.get('retry-after'), now)
    const unmet = readings.filter((reading) => !charges.some((charge) => charge.policy === reading.name))
    const met = unmet.map(({ name }): Charge => {
      const endpoint = `${call.method} ${call.route}`
      const isWide = organizationWide.has(name)
      if (!isWide) undocumented.set(endpoint, (undocumented.get(endpoint) ?? new Set()).add(name))
      return { key: isWide ? name : `${name} ${endpoint}`, policy: name, units: 0 }
    })
    const all = [...charges, ...met]
    const keys = all.map((charge) => charge.key)
    return store.update(keys, (known) => ({
      allowances: all.map(({ policy, units }, index) => {
        const reading = readings.find(({ name }) => name === policy)
        const before = known[index] && renewed(known[index], now)
        return learned(before, { units, reading, retryAfterMs }, now)
      }),
      result: undefined,
    }))
  }

  return {
    async admit(call, maxWaitMs) {
      const charges = chargesOf(call)
      for (let waitedMs = 0; ;) {
        const { store, done: room } = await inAStore((each) => reserve(each, call, charges, maxWaitMs - waitedMs))
        if (waitedMs + room.waitMs > maxWaitMs) throw new RateBudgetSpent(call, { afterMs: Math.ceil(room.waitMs) })
        try {
          if (room.waitMs > 0) await sleep(room.waitMs, call.options?.signal)
        } catch (error) {
          if (room.fits) await change(store, charges, putBack).catch(() => {})
          throw error
        }
        waitedMs += room.waitMs
        if (room.fits) return { waitedMs, settle: (headers) => learn(store, call, charges, headers).catch(() => {}) }
      }
    },
  }
}
