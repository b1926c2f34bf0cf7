import type { Kysely, Transaction } from 'kysely'
import type { KnownEvents, Sought } from './hot/known-events.ts'
import type { EventStep, PurgeLimits } from './upkeep/purge.ts'
import type { Tables } from './tables.ts'

/** Whether what was deleted is out of the files: it is; a reader still holds it there, so that it is to be tried again; the database removes it in its own time. */
export type Wiped = 'wiped' | 'busy' | 'left_to_database'

/** An open database, and the few things in which databases differ. */
export interface Storage {
  db: Kysely<Tables>
  /** The same for views, which never take the last connection from those who store. */
  views: Kysely<Tables>
  /** What time it is by the one clock that all processes of this ledger share. */
  now(db: Kysely<Tables>): Promise<number>
  /** The time that really passed, where the clock counts it itself. */
  elapsed?: (() => number) | undefined
  /** Keeps other processes from writing to these resources, and perhaps to some more, until the transaction ends: the duplicate rule is decided by one at a time, and nobody waits for each other in a circle. */
  lock(trx: Transaction<Tables>, resourceIds: readonly string[]): Promise<void>
  /** Keeps others from lifting a hold until the transaction ends: what waits for a hold is recorded before the hold is lifted, or sees that it was. */
  keepHolds(trx: Transaction<Tables>): Promise<void>
  /** Keeps others from writing to the audit trail until the transaction ends: its rows form one chain. */
  lockAudit(trx: Transaction<Tables>): Promise<void>
  /** Events of which these deliveries may be copies (rule 2), at a cost that does not grow with the ledger. */
  findKnown(db: Kysely<Tables>, sought: readonly Sought[]): Promise<KnownEvents>
  /** Where events are kept in partitions: drops the next one after `cursor` whole, if all of it is to be deleted; or else resolves with the last number that belongs to it, or with nothing where it is still written to. */
  purgePartition?(cursor: number, limits: PurgeLimits): Promise<{ step?: EventStep; last?: number }>
  /** Puts right what kept a transaction from being stored; resolves with whether it may run again. */
  mend?(error: unknown): Promise<boolean>
  /** Gives the space of deleted rows back to the disk, a little at a time; resolves with whether that was nearly all of it. */
  reclaim(): Promise<boolean>
  /** Takes what was deleted out of the files. */
  wipe(): Promise<Wiped>
  /** Whether a transaction that failed, perhaps in the middle of its commit, is surely not stored and may well succeed if it runs again: a deadlock, a connection that was cut before the commit. */
  isPassing(error: unknown, isCommitting: boolean): boolean
  /** Whether a transaction failed for what one statement says, while the database itself is well. */
  isRefused(error: unknown): boolean
  /** Throws where what is committed now would be lost with this process. */
  assertDurable(): void
  /** Begins the owner of every claim that this process takes: the next process knows by it that this one is gone. Empty where leases alone tell. */
  processName: string
}

/** What views need of it. */
export type ViewStorage = Pick<Storage, 'views' | 'now' | 'assertDurable'>

/** What is thrown where a value is none that code or driver can work with, such as text that is no JSON. */
export function isFaultOfCode(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError
}
