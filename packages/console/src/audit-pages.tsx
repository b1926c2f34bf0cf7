import { once } from 'node:events'
import { Router } from 'express'
import { z } from 'zod'
import { readActor } from './actor.ts'
import { toAuditEvent } from './contract/audit-event.ts'
import { queryOf } from '@pawl/base/pages/query'
import { AuditQuery, filterOfAudit } from './audit-query.ts'
import { acknowledgeBreak } from './audit-routes.ts'
import { Reason, reasonLength } from './contract/reason.ts'
import { readCursor, writeCursor } from './contract/cursor.ts'
import { AuditPage, VerificationPage } from './pages/audit.tsx'
import { sendPage } from './render.tsx'
import { refusal } from './serve.ts'
import { serveForm } from './serve-form.tsx'
import type { AuditTrail } from '@pawl/ledger/audit/create-audit-trail'
import type { AuditViews } from '@pawl/ledger/audit/read-audit'

export interface AuditPagesDeps {
  ledger: Pick<AuditTrail, 'audit' | 'auditState' | 'verifyAudit' | 'acknowledgeBreak'> & AuditViews
}

const pageSize = 50
/** Entries per read of an export. */
const exportStep = 500

const Cursor = z.strictObject({ at: z.number(), id: z.int() })
const AcknowledgeForm = z.object({ row: z.coerce.number().pipe(z.int()), reason: Reason })
const Format = z.enum(['jsonl', 'fhir']).catch('jsonl')

/** Pages that list, verify and export the audit trail, and acknowledge a break of it. The trail records each view, once for all pages of a list. */
export function createAuditPages({ ledger }: AuditPagesDeps): Router {
  const router = Router()
  router.get('/audit', async (req, res) => {
    const query = AuditQuery.parse(req.query)
    const before = readCursor(Cursor, req.query.before)
    if (before === undefined)
      await ledger.audit({ actor: readActor(req), action: 'audit.view', resourceId: query.resource })
    const found = await ledger.listAudit(filterOfAudit(query), pageSize + 1, before)
    const entries = found.slice(0, pageSize)
    const last = entries.at(-1)
    const next =
      last === undefined || found.length <= pageSize
        ? undefined
        : `/audit${queryOf({ ...query, before: writeCursor({ at: last.at, id: last.id }) })}`
    // The entry of this view also recorded a break that had no row yet.
    const { lastBreak } = await ledger.auditState()
    sendPage(res, <AuditPage query={query} openBreak={lastBreak?.id} entries={entries} next={next} />)
  })

  const refused = { at: '/audit', refused: 'Nothing was acknowledged' } as const
  serveForm(router, '/audit/verify', refused, async () => <VerificationPage verdict={await ledger.verifyAudit()} />)

  serveForm(router, '/audit/acknowledge', refused, async ({ fields, actor }) => {
    const form = AcknowledgeForm.safeParse(fields).data
    if (form === undefined) throw refusal('no_reason', `Give a reason of ${reasonLength}.`)
    await acknowledgeBreak(ledger, { actor, ...form })
    return '/audit'
  })

  router.get('/audit/export', async (req, res) => {
    const query = AuditQuery.parse(req.query)
    const format = Format.parse(req.query.format)
    await ledger.audit({ actor: readActor(req), action: 'audit.export', resourceId: query.resource })
    res.set({
      'content-type': 'application/x-ndjson',
      'cache-control': 'no-store',
      'content-disposition': `attachment; filename="audit-${format}.ndjson"`,
    })
    for (let after: number | undefined = 0; after !== undefined && !res.destroyed;) {
      const entries = await ledger.readAudit({ ...filterOfAudit(query), after }, exportStep)
      const lines = entries.map((entry) => JSON.stringify(format === 'fhir' ? toAuditEvent(entry) : entry))
      const text = lines.map((line) => `${line}\n`).join('')
      if (!res.write(text) && !res.destroyed) await Promise.race([once(res, 'drain'), once(res, 'close')])
      after = entries.length < exportStep ? undefined : entries.at(-1)?.id
    }
    res.end()
  })
  return router
}
