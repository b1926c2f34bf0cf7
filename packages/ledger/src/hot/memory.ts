import type { Kysely, Transaction } from 'kysely'
import type { Remembered } from '@pawl/base/system-notes'
import type { Core } from '../core.ts'
import { readNumbers } from '../resource-number.ts'
import type { Tables } from '../tables.ts'
import { askClaimedStates, type ClaimedState, type ResourceState } from './claimed-states.ts'
import { ClaimLost, type ClaimToken } from './claim.ts'
import type { Settled } from './group-commit.ts'
import { lockOf, saveShared, takeShared } from './shared-memory.ts'
import { remember } from './state-document.ts'
import { createWrite } from './statement.ts'
import { readDocuments, saveStates } from './states.ts'

/** A memory to write under a claim, or to remove. */
export interface MemoryWrite {
  token: ClaimToken
  system: string
  role: string
  /** Undefined: none from now on. */
  remembered: Remembered | undefined
  isShared?: boolean | undefined
}

/** A memory to write, and the state of its resource. */
interface Entry extends Omit<MemoryWrite, 'token'> {
  token: Pick<ClaimToken, 'owner'>
  held: ResourceState
}

/** Prefix of a handler's memory; all others belong to systems. */
const handlerPrefix = 'handler:'

const upsertOfHandlers = createWrite((db, rows: readonly Tables['handler_memory'][]) =>
  db
    .insertInto('handler_memory')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['resource', 'handler', 'role'])
        .doUpdateSet((eb) => ({ value: eb.ref('excluded.value'), written_at: eb.ref('excluded.written_at') })),
    ),
)

/** Writes memories; `ClaimLost` for each claim no longer held. */
async function writeMemories(
  trx: Transaction<Tables>,
  writes: readonly MemoryWrite[],
  { found, now, documents }: Pick<Core, 'documents'> & { found: readonly ClaimedState[]; now: number },
): Promise<Settled<undefined>[]> {
  const entries = writes.flatMap((write, index) => {
    const held = found[index]
    return held === undefined || held instanceof ClaimLost ? [] : { ...write, held }
  })
  await saveMemories(trx, entries, now)
  const changed = new Map(entries.filter(isOfSystem).map(({ held }) => [held.number, held]))
  await saveStates(
    trx,
    [...changed.values()].map((held) => ({ ...held, text: undefined, readAt: null })),
    documents,
  )
  return found.map((held) => (held instanceof ClaimLost ? { error: held } : { result: undefined }))
}

const isOfSystem = ({ system }: Pick<MemoryWrite, 'system'>) => !system.startsWith(handlerPrefix)

/** Adds memories to the documents of their resources, which the caller saves, or removes them there; stores shared ones, and those of handlers, which are not removed. */
export async function saveMemories(trx: Transaction<Tables>, writes: readonly Entry[], now: number): Promise<void> {
  // Of two with the same role the later one wins.
  const ofHandlers = new Map<string, Tables['handler_memory']>()
  for (const write of writes) {
    const { held, system, role, remembered } = write
    if (isOfSystem(write)) remember(held.document, write, remembered)
    else if (remembered !== undefined) {
      const key = { resource: held.number, handler: system.slice(handlerPrefix.length), role }
      ofHandlers.set(JSON.stringify(key), { ...key, value: remembered.id, written_at: now })
    }
  }
  if (ofHandlers.size > 0) await upsertOfHandlers(trx, [...ofHandlers.values()])
  for (const { token, remembered, isShared, ...key } of writes)
    if (isShared === true) await saveShared(trx, token, key, remembered)
}

/** The entry of a handler that was written last under this role, for any resource. */
async function readNewest(
  db: Kysely<Tables>,
  { handler, role }: { handler: string; role: string },
): Promise<Remembered | undefined> {
  const row = await db
    .selectFrom('handler_memory')
    .select('value')
    .where('handler', '=', handler)
    .where('role', '=', role)
    .orderBy('written_at', 'desc')
    .orderBy('resource', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { id: row.value }
}

/** Stores the ids and digests by which connectors find their earlier writes. */
export interface Memories {
  /** Memories of a system about a resource, by role. */
  readMemory(system: string, resourceId: string): Promise<ReadonlyMap<string, Remembered>>
  /** The newest memory of a handler (`handler:<name>`) under a role, of any resource. */
  newestMemory(system: string, role: string): Promise<Remembered | undefined>
  /** Writes a memory, or removes it (`undefined`), with `isShared` the one shared by all resources; committed at once. Throws `ClaimLost`. */
  writeMemory(
    token: ClaimToken,
    system: string,
    role: string,
    remembered: Remembered | undefined,
    options?: { isShared?: boolean },
  ): Promise<void>
  /** Locks a shared memory until the claim ends, and resolves with its content; `taken` while another claim holds it. Throws `ClaimLost`. */
  takeShared(token: ClaimToken, system: string, role: string): Promise<{ remembered: Remembered | undefined } | 'taken'>
}

export function createMemories({ db, commits, gather, documents }: Core): Memories {
  const write = gather<MemoryWrite, undefined, readonly ClaimedState[]>({
    touches: ({ token, isShared, ...key }) =>
      isShared === true ? [token.resourceId, lockOf(key)] : [token.resourceId],
    ask: (trx, writes) =>
      askClaimedStates(
        trx,
        writes.map(({ token }) => token),
      ),
    run: (trx, writes, now, found) => writeMemories(trx, writes, { found, now, documents }),
  })

  return {
    async readMemory(system, resourceId) {
      const number = (await readNumbers(db, [resourceId])).get(resourceId)
      if (number === undefined) return new Map()
      return (await readDocuments(db, [number])).get(number)?.memory.get(system) ?? new Map()
    },
    newestMemory: (system, role) => readNewest(db, { handler: system.slice(handlerPrefix.length), role }),
    writeMemory: (token, system, role, remembered, { isShared } = {}) =>
      write({ token, system, role, remembered, isShared }),
    takeShared: (token, system, role) =>
      commits.write(
        (trx, now) => takeShared(trx, token, { system, role }, now),
        () => [token.resourceId, lockOf({ system, role })],
      ),
  }
}
