import type { CheckReport, CheckSample, RunContext, System } from '@pawl/connector/system'
import type { Pharmacy } from './pharmacy.ts'
import { sentRole, type TellOptions, tellTransfer } from './tell-transfer.ts'
import type { TransferNotice } from './transfer-notice.ts'

/** The channel to one pharmacy, or to several. */
export interface NoticeChannel {
  /** Sends one notice; a retry has the same id. Throws `PharmacyWriteFailed`. */
  send(notice: TransferNotice, run: RunContext): Promise<void>
  /** Whether notices for this NCPDP id, or for no pharmacy yet, can be sent. Absent: all can. */
  serves?(ncpdpId: string | undefined): boolean
  check?(signal: AbortSignal, sample?: CheckSample): Promise<CheckReport>
  close?(): Promise<void>
}

/** A pharmacy, with its channel. */
export interface TransferPharmacy extends System<Pharmacy>, NoticeChannel {}

/** The pharmacy that gets its notices by this channel. */
export function createTransferPharmacy(channel: NoticeChannel, options: TellOptions): TransferPharmacy {
  const { serves } = channel
  return {
    ...channel,
    noticeRole: sentRole,
    open: (run) => ({
      putPrescriptionTransfer: (priorAuthorization) =>
        tellTransfer(priorAuthorization, run, { ...options, serves, send: (notice) => channel.send(notice, run) }),
    }),
  }
}
