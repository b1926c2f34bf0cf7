import type { ViewStorage } from '../storage.ts'

/** Names who keeps writers waiting. */
export interface LockViews {
  /** Other processes that hold the lock a writer of this ledger waits for, such as `psql[4711]`; empty if the database names none. Waits for no lock. */
  lockHolders(): Promise<string[]>
}

export function createLockViews({ lockHolders }: Pick<ViewStorage, 'lockHolders'>): LockViews {
  return { lockHolders: async () => (await lockHolders()).map(({ pid, name }) => `${wordOf(name)}[${pid}]`) }
}

/** A process names itself: in letters and digits alone it holds no text about a patient. */
const wordOf = (name: string) => name.replaceAll(/[^\w.:-]+/g, '_').slice(0, 40) || 'unnamed'
