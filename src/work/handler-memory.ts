import type { Memories } from '@pawl/ledger/hot/memory'
import type { Digest } from '@pawl/connector/digest'
import type { Memory } from '@pawl/connector/system'

/** Ids that a handler stores under its own keys, and can read in runs for other resources. */
export interface HandlerMemory {
  /** The id that this handler last wrote under this key, for any resource not erased since. */
  read(key: string): Promise<string | undefined>
  /** Replaces the id that this handler wrote under this key for this resource. Committed when it resolves, regardless of the run's outcome. Throws TypeError for an `id` that is longer than 200 characters or has spaces, and `ClaimLost`. */
  write(key: string, id: string): Promise<void>
}

/** The ledger's name for a handler's memory, which cannot be the name of a system. */
export const memoryNameOf = (handler: string) => `handler:${handler}`

const idShape = /^[^\s\p{Cc}\p{Cf}]{1,200}$/u

/** Makes the memory of one run. Keys are stored as digests, since they may name a patient. */
export function createHandlerMemory({
  handler,
  ledger,
  memoryOf,
  digest,
  assertMayAct,
}: {
  handler: string
  ledger: Pick<Memories, 'newestMemory'>
  memoryOf: (system: string) => Memory
  digest: Digest
  assertMayAct: () => void
}): HandlerMemory {
  const name = memoryNameOf(handler)
  return {
    read: async (key) => (await ledger.newestMemory(name, digest(key)))?.id,
    async write(key, id) {
      if (!idShape.test(id))
        throw new TypeError('memory.write takes an id: up to 200 characters without spaces, no text about a patient.')
      assertMayAct()
      await memoryOf(name).write(digest(key), { id })
    },
  }
}
