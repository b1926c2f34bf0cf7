import { Router } from 'express'
import type { AuditTrail } from '@pawl/ledger/audit/create-audit-trail'
import type { AuditViews } from '@pawl/ledger/audit/read-audit'
import { contract } from './contract/contract.ts'
import { refusal, serve } from './serve.ts'

export interface AuditRoutesDeps {
  ledger: Pick<AuditTrail, 'audit' | 'verifyAudit' | 'acknowledgeBreak'> & Pick<AuditViews, 'readAudit'>
}

/** Routes that list and verify the audit trail, and acknowledge a break of it. The trail records the reading, once for all its pages. */
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
    const open = await ledger.acknowledgeBreak({ actor, row, reason })
    if (open !== row) throw refusal('nothing', sayOtherBreak(open))
    return { row }
  })
  return router
}

/** Says why the named break was not acknowledged. */
export function sayOtherBreak(open: number | undefined): string {
  return open === undefined
    ? 'No break of the trail is open: none was found, or it is acknowledged.'
    : `The last break is that of row ${open}: look at it first.`
}
