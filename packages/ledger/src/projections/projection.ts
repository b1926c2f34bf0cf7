import type { Transaction } from 'kysely'
import type { Documents } from '../sealing/documents.ts'
import type { Seal } from '../sealing/seal.ts'
import type { Tables } from '../tables.ts'

/** One step: the next rows of a source, in the transaction that also moves the cursor. */
export interface Step<Row> {
  trx: Transaction<Tables>
  now: number
  rows: readonly Row[]
  seal: Seal
  documents: Documents
}

/** Derives a table from another one that only grows, beside the work. */
export type Projection<Row> = (step: Step<Row>) => Promise<void>
