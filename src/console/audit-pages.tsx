import { once } from 'node:events'
import express, { Router } from 'express'
import { z } from 'zod'
import { isOwnForm } from './access/same-origin.ts'
import { readActor } from './actor.ts'
import { toAuditEvent } from './contract/audit-event.ts'
import { queryOf } from '../base/pages/query.ts'
import { AuditQuery, filterOfAudit } from './audit-query.ts'
import { readCursor, writeCursor } from './contract/cursor.ts'
import { AuditPage, VerdictPage } from './pages/audit.tsx'
import { MessagePage } from './pages/message.tsx'
import { sendPage } from './render.tsx'
import type { AuditTrail } from '../ledger/audit/create-audit-trail.ts'
import type { AuditViews } from '../ledger/audit/read-audit.ts'

export interface AuditPagesDeps {
  ledger: Pick<AuditTrail, 'audit' | 'verifyAudit'> & AuditViews
}

const pageSize = 50
/** Entries per read of an export. */
const exportStep = 500

const Cursor = z.strictObject({ at: z.number(), id: z.int() })
const Format = z.enum(['jsonl', 'fhir']).catch('jsonl')

/** Pages of the audit trail: GET /audit, a page at a time, POST /audit/verify, and GET /audit/export, all matching entries. The trail records the reading, once for all pages of a list. */
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
    sendPage(res, <AuditPage query={query} entries={entries} next={next} />)
  })

  router.post('/audit/verify', express.urlencoded({ extended: false, limit: '8kb' }), async (req, res) => {
    if (isOwnForm(req)) sendPage(res, <VerdictPage verdict={await ledger.verifyAudit()} />)
    else {
      const message = 'The form does not belong to your session: open the page again, then send it.'
      sendPage(res, <MessagePage title="Refused" at="/audit" message={message} />, 403)
    }
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
