import { Router } from 'express'
import { z } from 'zod'
import { type Period, readPeriod } from '../report/period.ts'
import { readReport } from '../report/read-report.ts'
import type { Report } from '../report/report.ts'
import { toCsv } from '../report/to-csv.ts'
import { type Grouping, groupings } from '../service/schemas/outcome-facts.ts'
import { readActor } from './actor.ts'
import type { AuditTrail } from '../ledger/audit/create-audit-trail.ts'
import type { Views } from '../ledger/views/create-views.ts'

export interface ReportRoutesDeps {
  ledger: Pick<AuditTrail, 'audit'> & Pick<Views, 'listOutcomes'>
  now: () => number
}

const Query = z.strictObject({
  from: z.string().max(40).optional(),
  to: z.string().max(40).optional(),
  by: z.enum(groupings).optional(),
  small: z.enum(['true', 'false']).optional(),
  format: z.enum(['json', 'csv']).default('json'),
  /** As what the caller passes on the JSON that it gets; the audit trail names it. */
  printed: z.literal('csv').optional(),
})

/** GET /api/report: the figures of a period, as JSON or as CSV. That somebody took them along is written into the audit trail. */
export function createReportRoutes({ ledger, now }: ReportRoutesDeps): Router {
  const router = Router()
  router.get('/api/report', async (req, res) => {
    const query = Query.safeParse(req.query)
    const period = query.success ? readPeriod(query.data, now()) : { fault: wrongQuery }
    if (!query.success || 'fault' in period) {
      const message = 'fault' in period ? period.fault : wrongQuery
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    const { by, format, printed = format } = query.data
    const small = query.data.small === 'true'
    const details = { ...namePeriod(period), ...(by !== undefined && { by }), small, format: printed }
    await ledger.audit({ actor: readActor(req), action: 'report.export', details })
    const report: Report = await readReport(ledger, { ...period, by, small })
    if (format === 'json') res.json(report)
    else
      res
        .attachment(`${fileName(period, by)}.csv`)
        .type('text/csv')
        .send(toCsv(report))
  })
  return router
}

const wrongQuery = `by is one of ${groupings.join(', ')}; small is true or false; format is json or csv.`

function namePeriod({ from, to }: Period) {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}

function fileName(period: Period, by: Grouping | undefined): string {
  const { from, to } = namePeriod(period)
  return ['report', from.slice(0, 10), to.slice(0, 10), ...(by === undefined ? [] : [by])].join('-')
}
