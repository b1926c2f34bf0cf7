import { type Clock, systemClock } from '../../../base/clock.ts'
import type { System } from '../../../systems/system.ts'
import type { Pharmacy } from '../pharmacy.ts'
import { rehearseTransfer, tellTransfer } from '../tell-transfer.ts'
import type { TransferNotice } from '../transfer-notice.ts'

export interface MemoryPharmacy extends System<Pharmacy> {
  /** Every notice, oldest first. */
  readonly notices: readonly TransferNotice[]
}

/** The pharmacy in memory, for tests and for running without one. */
export function createMemoryPharmacy(clock: Clock = systemClock): MemoryPharmacy {
  const notices: TransferNotice[] = []
  return {
    notices,
    open: (run) => ({
      putPrescriptionTransfer: (priorAuthorization) =>
        tellTransfer(priorAuthorization, run, clock, async (notice) => void notices.push(notice)),
    }),
    rehearse: (run) => rehearseTransfer(run, clock),
  }
}
