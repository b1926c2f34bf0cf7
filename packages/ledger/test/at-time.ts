import { asked } from '../src/hot/statement.ts'
import type { Storage } from '../src/storage.ts'

/** A storage whose clock the test sets; it locks as before. */
export function atTime(storage: Storage, now: () => number): Storage {
  return {
    ...storage,
    now: () => Promise.resolve(now()),
    async lock(trx, resourceIds) {
      const { answer } = await storage.lock(trx, resourceIds)
      return asked(answer.then(now))
    },
  }
}
