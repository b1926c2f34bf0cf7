import { Router } from 'express'
import type { Actor } from '@pawl/ledger/audit/audit-entry'
import type { AuditTrail } from '@pawl/ledger/audit/create-audit-trail'
import type { AuditViews } from '@pawl/ledger/audit/read-audit'
import { contract } from './contract/contract.ts'
import { refusal, serve } from './serve.ts'

export interface AuditRoutesDeps {
  ledger: Pick<AuditTrail, 'audit' | 'verifyAudit' | 'acknowledgeBreak'> & Pick<AuditViews, 'readAudit'>
}

/** Routes that list and verify the audit trail, and acknowledge a break of it. The trail records each view, once for all its pages. */
export function createAuditRoutes({ ledger }: AuditRoutesDeps): Router {
  const router = Router()
  serve(router, contract.audit, async ({ query, actor }) => {
    const { after, limit, since, resource, action, for: purpose } = query
    if (after === 0) await ledger.audit({ actor, action: `audit.${purpose}`, resourceId: resource })
    const sinceMs = since === undefined ? undefined : Date.parse(since)
    const entries = await ledger.readAudit({ after, since: sinceMs, resourceId: resource, action }, limit)
    return { entries, after: entries.length < limit ? undefined : entries.at(-1)?.id }
  })
  serve(router, contract.auditVerdict, ({ query: { id, hash } }) =>
    ledger.verifyAudit(id === undefined || hash === undefined ? undefined : { id, hash }),
  )
  serve(router, contract.auditAcknowledge, async ({ body: { row, reason }, actor }) => {
    await acknowledgeBreak(ledger, { actor, row, reason })
    return { row }
  })
  return router
}

/** Acknowledges the last break of the trail. Throws `RequestRefused` if `row` does not record it. */
export async function acknowledgeBreak(
  ledger: Pick<AuditTrail, 'acknowledgeBreak'>,
  given: { actor: Actor; row: number; reason: string },
): Promise<void> {
  const open = await ledger.acknowledgeBreak(given)
  if (open === given.row) return
  const message =
    open === undefined
      ? 'The trail has no open break: none was found, or it is acknowledged.'
      : `Row ${open} records the last break: look at it first.`
  throw refusal('nothing', message)
}
