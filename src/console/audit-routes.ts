import { Router } from 'express'
import { z } from 'zod'
import { auditActions } from '../ledger/audit/audit-entry.ts'
import { readActor } from './actor.ts'
import type { AuditTrail } from '../ledger/audit/create-audit-trail.ts'
import type { Views } from '../ledger/views/create-views.ts'

export interface AuditRoutesDeps {
  ledger: Pick<AuditTrail, 'audit' | 'verifyAudit'> & Pick<Views, 'readAudit'>
}

const maxEntries = 1_000

const Filter = z.strictObject({
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(maxEntries).default(100),
  since: z.iso.datetime({ offset: true }).optional(),
  resource: z.string().min(1).max(200).optional(),
  action: z.enum(auditActions).optional(),
  /** What it is read for: a look, or a copy that leaves pawl. */
  for: z.enum(['view', 'export']).default('view'),
})

const Noted = z.strictObject({
  id: z.coerce.number().int().min(1),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
})

/** GET /api/audit, entries of the audit trail after one of them, the oldest first, and GET /api/audit/verdict, whether a row was removed or changed. That somebody reads the trail is written into it, once for all its pages. */
export function createAuditRoutes({ ledger }: AuditRoutesDeps): Router {
  const router = Router()
  router.get('/api/audit', async (req, res) => {
    const filter = Filter.safeParse(req.query)
    if (!filter.success) {
      const message = `after is the id of an entry; limit a number from 1 to ${maxEntries}; since an ISO 8601 date-time; action one of ${auditActions.join(', ')}.`
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    const { after, limit, since, resource, action, for: purpose } = filter.data
    if (after === 0) await ledger.audit({ actor: readActor(req), action: `audit.${purpose}`, resourceId: resource })
    const sinceMs = since === undefined ? undefined : Date.parse(since)
    const entries = await ledger.readAudit({ after, since: sinceMs, resourceId: resource, action }, limit)
    res.json({ entries, after: entries.length < limit ? undefined : entries.at(-1)?.id })
  })
  router.get('/api/audit/verdict', async (req, res) => {
    const noted = Object.keys(req.query).length === 0 ? undefined : Noted.safeParse(req.query)
    if (noted?.success === false) {
      const message = 'A head that was noted is its id and its hash of 64 hexadecimal digits.'
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    res.json(await ledger.verifyAudit(noted?.data))
  })
  return router
}
