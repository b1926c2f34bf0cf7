import type { Kysely, Transaction } from 'kysely'
import { createTrail, type Trail } from './audit/trail.ts'
import { type ClockSteps, createClockSteps } from './hot/clock-steps.ts'
import { createGroupCommit, type GroupCommit, type BatchDeps, createBatch } from './hot/group-commit.ts'
import { createDigestKey, type DigestKey } from './sealing/digest-key.ts'
import { createDocuments, type Documents } from './sealing/documents.ts'
import type { Seal } from './sealing/seal.ts'
import type { Storage } from './storage.ts'
import type { Tables } from './tables.ts'

/** Parts shared by all ports of one open ledger. */
export interface Core {
  db: Kysely<Tables>
  /** Its `now` and `lock` read through `clock`. */
  storage: Storage
  clock: ClockSteps
  commits: GroupCommit
  /** Retention's, beside those: on PostgreSQL no delivery waits for them. */
  purges: GroupCommit
  /** Writes to a single resource. */
  writeTo: <T>(resourceId: string, work: (trx: Transaction<Tables>, now: number) => Promise<T>) => Promise<T>
  /** Creates a batch over `commits`. */
  gather: <Item, Result, Read>(
    how: Pick<BatchDeps<Item, Result, Read>, 'touches' | 'ask' | 'run'>,
  ) => (item: Item) => Promise<Result>
  trail: Trail
  seal: Seal
  documents: Documents
  digestKey: DigestKey
}

/** Parts shared by the ports that only read, on connections of their own. */
export interface ViewCore extends Pick<Storage, 'assertDurable'> {
  db: Kysely<Tables>
  now: () => Promise<number>
  seal: Seal
  documents: Documents
}

/** Max deliveries per transaction: a larger group would delay its first member. */
const maxBatchSize = 1_000

export function createCore({ storage: opened, seal }: { storage: Storage; seal: Seal }): Core {
  const { db } = opened
  const clock = createClockSteps(opened)
  const storage = { ...opened, now: clock.now, lock: clock.lock }
  const trail = createTrail({ commits: createGroupCommit(storage), seal, storage })
  const { commits } = trail
  return {
    db,
    storage,
    clock,
    commits,
    purges: createGroupCommit(storage),
    writeTo: (resourceId, work) => commits.write(work, () => [resourceId]),
    gather: (how) => createBatch({ commits, isRefused: storage.isRefused, maxSize: maxBatchSize, ...how }),
    trail,
    seal,
    documents: createDocuments(seal),
    digestKey: createDigestKey({ db, commits, seal }),
  }
}
