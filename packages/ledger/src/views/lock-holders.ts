import type { ViewStorage } from '../storage.ts'

/** Names the processes that block writers. */
export interface LockViews {
  /** Other processes that hold the lock a writer of this ledger waits for, such as `psql[4711]`; empty if the database names none. Waits for no lock. */
  lockHolders(): Promise<string[]>
}

export function createLockViews({ lockHolders }: Pick<ViewStorage, 'lockHolders'>): LockViews {
  return { lockHolders: async () => (await lockHolders()).map(({ pid, name }) => `${wordOf(name)}[${pid}]`) }
}

/** A process chooses its own name: reduced to word characters, it carries no text about a patient. */
const wordOf = (name: string) => name.replaceAll(/[^\w.:-]+/g, '_').slice(0, 40) || 'unnamed'
