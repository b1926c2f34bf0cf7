import type { Transaction } from 'kysely'
import type { Settled } from './group-commit.ts'
import { ClaimLost, type ClaimToken } from './claims.ts'
import { readClaimedStates } from './claimed-states.ts'
import { lockOf, saveShared, takeShared } from './shared-memory.ts'
import { readMemories, readNewestMemory } from './read-memories.ts'
import { type Remembered } from '@pawl/base/system-notes'
import { createStatement } from './statement.ts'
import type { Tables } from '../tables.ts'
import type { Core } from '../core.ts'
import { readNumbers } from '../resource-number.ts'

/** A memory to write under a claim. */
export interface MemoryWrite {
  token: ClaimToken
  system: string
  role: string
  remembered: Remembered
  isShared?: boolean | undefined
}

/** A memory to write, and the number of its resource. */
type Entry = MemoryWrite & { number: number }

const upsertMemory = createStatement((db, rows: readonly Tables['memory'][]) =>
  db
    .insertInto('memory')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['resource', 'system', 'role']).doUpdateSet((eb) => ({
        foreign_id: eb.ref('excluded.foreign_id'),
        version: eb.ref('excluded.version'),
        digest: eb.ref('excluded.digest'),
        written_at: eb.ref('excluded.written_at'),
      })),
    ),
)

/** Upserts memories; `ClaimLost` for each claim no longer held. */
export async function writeMemories(
  trx: Transaction<Tables>,
  writes: readonly MemoryWrite[],
  now: number,
): Promise<Settled<undefined>[]> {
  const held = await readClaimedStates(
    trx,
    writes.map(({ token }) => token),
  )
  const entries = writes.flatMap((write, index) => {
    const state = held[index]
    return state === undefined || state instanceof ClaimLost ? [] : { ...write, number: state.number }
  })
  await saveMemories(trx, entries, now)
  return held.map((state) => (state instanceof ClaimLost ? { error: state } : { result: undefined }))
}

/** As `writeMemories`, for claims known to be held. */
export async function saveMemories(trx: Transaction<Tables>, writes: readonly Entry[], now: number): Promise<void> {
  // Of two with the same role the later one wins.
  const rows = new Map<string, Tables['memory']>()
  for (const { number, system, role, remembered } of writes) {
    const { id, version = null, digest = null } = remembered
    const key = { resource: number, system, role }
    rows.set(JSON.stringify(key), { ...key, foreign_id: id, version, digest, written_at: now })
  }
  if (rows.size > 0) await upsertMemory(trx, [...rows.values()])
  for (const { token, remembered, isShared, ...key } of writes)
    if (isShared === true) await saveShared(trx, token, key, remembered)
}

/** Stores the ids and digests by which connectors find their earlier writes. */
export interface Memories {
  /** Memories of a system about a resource, by role. */
  readMemory(system: string, resourceId: string): Promise<ReadonlyMap<string, Remembered>>
  /** The newest memory of a handler (`handler:<name>`) under a role, of any resource. */
  newestMemory(system: string, role: string): Promise<Remembered | undefined>
  /** Upserts a memory, with `isShared` the one that all resources share; committed at once. Throws `ClaimLost`. */
  writeMemory(
    token: ClaimToken,
    system: string,
    role: string,
    remembered: Remembered,
    options?: { isShared?: boolean },
  ): Promise<void>
  /** Locks a shared memory until the claim ends, and resolves with its content; `taken` while another claim holds it. Throws `ClaimLost`. */
  takeShared(token: ClaimToken, system: string, role: string): Promise<{ remembered: Remembered | undefined } | 'taken'>
}

export function createMemories({ db, commits, gather }: Core): Memories {
  const remember = gather<MemoryWrite, undefined>({
    touches: ({ token, isShared, ...key }) =>
      isShared === true ? [token.resourceId, lockOf(key)] : [token.resourceId],
    run: writeMemories,
  })

  return {
    async readMemory(system, resourceId) {
      const number = (await readNumbers(db, [resourceId])).get(resourceId)
      if (number === undefined) return new Map()
      return (await readMemories(db, [{ number }])).get(number)?.get(system) ?? new Map()
    },
    newestMemory: (system, role) => readNewestMemory(db, { system, role }),
    writeMemory: (token, system, role, remembered, { isShared } = {}) =>
      remember({ token, system, role, remembered, isShared }),
    takeShared: (token, system, role) =>
      commits.write(
        (trx, now) => takeShared(trx, token, { system, role }, now),
        () => [token.resourceId, lockOf({ system, role })],
      ),
  }
}
