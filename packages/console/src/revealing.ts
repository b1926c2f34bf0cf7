import type { AuditTrail } from '@pawl/ledger/audit/create-audit-trail'
import type { Revealed } from '@pawl/ledger/audit/reveal'
import { SealBroken } from '@pawl/ledger/sealing/seal'
import type { Log } from '@pawl/base/log'
import { refusal } from './serve.ts'

const refusals = {
  unknown: 'No resource of this id is known here, or it has no such event.',
  nothing: 'Nothing is stored: pawl has not read it yet, or deleted it after RETENTION_DAYS.',
  sealed:
    'The content cannot be opened: SEALING_KEYS lacks its key, or the database was altered. "pawl ledger check" tells which.',
} as const

/** Opens the content of a resource or of one of its events, for a reason that the audit trail records first. Throws `RequestRefused`. */
export type Reveal = (id: string, act: Parameters<AuditTrail['reveal']>[1]) => Promise<Revealed>

export function createReveal({ ledger, log }: { ledger: Pick<AuditTrail, 'reveal'>; log: Log }): Reveal {
  return async (id, act) => {
    const revealed = await ledger.reveal(id, act).catch((error: unknown) => {
      if (error instanceof SealBroken) return 'sealed' as const
      throw error
    })
    if (typeof revealed === 'string') throw refusal(revealed, refusals[revealed])
    log.info({ resource_id: revealed.id }, 'content of a resource shown')
    return revealed
  }
}
