import type { Pharmacy } from '../pharmacy.ts'
import { toTransferNotice, type TransferNotice } from '../transfer-notice.ts'

export interface MemoryPharmacy extends Pharmacy {
  /** Every notice, oldest first, copies included. */
  readonly notices: readonly TransferNotice[]
}

/** The pharmacy in memory, for tests and for running without one. */
export function createMemoryPharmacy(): MemoryPharmacy {
  const notices: TransferNotice[] = []
  return {
    notices,
    async putPrescriptionTransfer(priorAuthorization) {
      const notice = toTransferNotice(priorAuthorization)
      if (notice === undefined) return []
      notices.push(notice)
      return [{ system: 'pharmacy', type: notice.type, id: notice.id }]
    },
  }
}
