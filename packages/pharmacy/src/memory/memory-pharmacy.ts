import { type Clock, systemClock } from '@pawl/base/clock'
import type { TellOptions } from '../tell-transfer.ts'
import type { TransferNotice } from '../transfer-notice.ts'
import { createTransferPharmacy, type TransferPharmacy } from '../transfer-pharmacy.ts'

export interface MemoryPharmacy extends TransferPharmacy {
  /** Every notice, oldest first. */
  readonly notices: readonly TransferNotice[]
}

/** A pharmacy in memory, for tests and for running without one. */
export function createMemoryPharmacy(clock: Clock = systemClock, how: Omit<TellOptions, 'clock'> = {}): MemoryPharmacy {
  const notices: TransferNotice[] = []
  return {
    notices,
    ...createTransferPharmacy({ send: async (notice) => void notices.push(notice) }, { clock, ...how }),
  }
}
