import type { Transaction } from 'kysely'
import type { Documents } from '../sealing/documents.ts'
import type { Seal } from '../sealing/seal.ts'
import type { Tables } from '../tables.ts'

/** Projections: what is derived from the journal, or another table that only grows, beside the work. */
export const projectionNames = ['lookups', 'outcomes', 'runs', 'deliveries', 'refusals'] as const
export type ProjectionName = (typeof projectionNames)[number]

/** One step: the next rows of a source, in the transaction that also moves the cursor. */
export interface Step<Row> {
  trx: Transaction<Tables>
  now: number
  rows: readonly Row[]
  seal: Seal
  documents: Documents
}

export type Projection<Row> = (step: Step<Row>) => Promise<void>
