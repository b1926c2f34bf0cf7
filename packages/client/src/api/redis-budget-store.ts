import { openRedis } from '@pawl/base/net/redis-connection'
import type { Allowance } from './allowance.ts'
import { type BudgetStore, joinUpdates } from './budget-store.ts'

/** Sets every key to its new value, unless one of them changed since it was read. */
const compareAndSet = `
for i, key in ipairs(KEYS) do
  if (redis.call('GET', key) or '') ~= ARGV[i] then return 0 end
end
for i, key in ipairs(KEYS) do
  local value = ARGV[#KEYS + i]
  if value ~= '' then redis.call('SET', key, value, 'PX', ARGV[2 * #KEYS + 1]) end
end
return 1`

const prefix = 'pawl:budget:'
/** Expiry of unused allowances, in milliseconds: longer than the longest documented window (24 hours). */
const keptForMs = 2 * 86_400_000
/** Max conflicts of an update; after them, a request is sent without an allowance instead of late. */
const maxTries = 20

/** A budget shared by all processes with this Redis. Fails open: rejects if Redis takes over a second, and the request is then sent without an allowance. */
export function createRedisBudgetStore(url: string): BudgetStore & { close(): void } {
  const redis = openRedis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 1_000,
  })
  // Without a listener an outage would end the process; failed updates report it.
  redis.on('error', () => {})

  const store: BudgetStore = {
    async update(keys, change) {
      const names = keys.map((key) => prefix + key)
      for (let tries = 0; tries < maxTries; tries += 1) {
        const stored = names.length === 0 ? [] : await redis.mget(names)
        // Only this store writes these keys, and it writes allowances.
        const known = stored.map((text) => (text === null ? undefined : (JSON.parse(text) as Allowance)))
        const { allowances, result } = change(known)
        const before = stored.map((text) => text ?? '')
        const after = names.map((_, index) =>
          allowances[index] === undefined ? '' : JSON.stringify(allowances[index]),
        )
        if (names.length === 0) return result
        const isSet = await redis.eval(compareAndSet, names.length, ...names, ...before, ...after, String(keptForMs))
        if (isSet === 1) return result
      }
      throw new Error('The shared budget changed too often to be updated.')
    },
  }
  return { ...joinUpdates(store), close: () => redis.disconnect() }
}
