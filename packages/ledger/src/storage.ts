import type { Kysely, Transaction } from 'kysely'
import type { KnownResource } from './hot/known-events.ts'
import type { Asked } from './hot/statement.ts'
import type { Tables } from './tables.ts'

/** Whether deleted content is out of the files. `busy`: a reader still holds it, try again. `left_to_database`: the database removes it in its own time. */
export type Wiped = 'wiped' | 'busy' | 'left_to_database'

/** A process that holds a lock. */
export interface LockHolder {
  pid: number
  /** As it calls itself; may be empty. */
  name: string
}

/** Numbers for the events of some deliveries. */
export interface Numbers {
  /** The known ones of their resources, by id. */
  known: ReadonlyMap<string, KnownResource>
  /** Lowest first. */
  eventIds: readonly number[]
}

/** An open database, with the differences between databases. */
export interface Storage {
  db: Kysely<Tables>
  /** Connections for views, which never take the last one from writers. */
  views: Kysely<Tables>
  /** The time by the one clock that all processes of this ledger share. */
  now(db: Kysely<Tables>): Promise<number>
  /**
   * Locks these resources, and perhaps more, against other processes until the transaction ends, without deadlock: the duplicate rule needs one
   * writer at a time. What is asked after it sees what writers before it committed. Answers with the time once all locks are held.
   */
  lock(trx: Transaction<Tables>, resourceIds: readonly string[]): Promise<Asked<number>>
  /** How long a transaction may stay open, and its rows unseen, behind a committed one with higher ids; 0: ids are committed in order. */
  openForMs: number
  /** Monotonic time, if the clock provides its own. */
  elapsed?: (() => number) | undefined
  /** Blocks resumes until the transaction ends: work that waits for a pause is recorded before the pause ends, or sees its end. */
  keepPauses(trx: Transaction<Tables>): Promise<void>
  /** Locks the audit trail until the transaction ends: its rows form one chain. */
  lockAudit(trx: Transaction<Tables>): Promise<void>
  /** The known ones of these resources, by id, and ids for up to `count` events stored in this transaction, lowest first. */
  askNumbers(trx: Transaction<Tables>, resourceIds: readonly string[], count: number): Promise<Asked<Numbers>>
  /** Returns free space to the disk, a little at a time; resolves with whether nearly all is returned. */
  reclaim(): Promise<boolean>
  /** Removes deleted content from the files. */
  wipe(): Promise<Wiped>
  /** Whether a failed transaction was certainly not stored and may succeed on a retry: a deadlock, a connection lost before the commit. `isCommitting`: it failed during its commit. */
  isPassing(error: unknown, isCommitting: boolean): boolean
  /** Whether one statement's content made a transaction fail, while the database itself is healthy. */
  isRefused(error: unknown): boolean
  /** Other processes that hold the lock that a writer waits for. Waits for none itself. */
  lockHolders(this: void): Promise<LockHolder[]>
  /** Throws if a commit would now be lost with this process. */
  assertDurable(): void
  /** Prefix of the owner of this process's claims, by which the next process recognises a dead one. Empty in a copy, which claims nothing. */
  processName: string
}

/** The part that views need. */
export type ViewStorage = Pick<Storage, 'views' | 'now' | 'lockHolders' | 'assertDurable'>

/** Errors that code or a driver throws for an invalid value, such as text that is not JSON. */
export function isFaultOfCode(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError
}
