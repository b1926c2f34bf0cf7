import type { Pharmacy } from '../pharmacy.ts'

/** What a pharmacy is told of one transfer. */
export interface TransferNotice {
  id: string
  prior_authorization_id: string
  status: string | null
}

export interface MemoryPharmacy extends Pharmacy {
  /** Every notice, oldest first, copies included. */
  readonly notices: readonly TransferNotice[]
}

/** The pharmacy in memory. */
export function createMemoryPharmacy(): MemoryPharmacy {
  throw new Error('being written')
}
