import { Router } from 'express'
import { dayOf } from '@pawl/base/days'
import { type Period, readPeriod } from './report/period.ts'
import { readReport } from './report/read-report.ts'
import type { Report } from './report/report.ts'
import { toCsv } from './report/to-csv.ts'
import type { Grouping } from 'pawl-client/schemas/outcome-facts'
import { readActor } from './actor.ts'
import type { AuditTrail } from '@pawl/ledger/audit/create-audit-trail'
import type { LagViews } from '@pawl/ledger/projections/lags'
import type { OutcomeViews } from '@pawl/ledger/views/list-outcomes'
import { contract } from './contract/contract.ts'
import { readAsked, refusal } from './serve.ts'

export interface ReportRoutesDeps {
  ledger: Pick<AuditTrail, 'audit'> & OutcomeViews & LagViews
  now: () => number
}

/** The figures of a period, as JSON or as CSV. The audit trail records the export. */
export function createReportRoutes({ ledger, now }: ReportRoutesDeps): Router {
  const router = Router()
  const { report: route } = contract
  router[route.method](route.path, async (req, res) => {
    const { query } = readAsked(route, req)
    const period = readPeriod(query, now())
    if ('fault' in period) throw refusal('bad_request', period.fault)
    const { by, format, printed = format } = query
    const small = query.small === 'true'
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

function namePeriod({ from, to }: Period) {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}

function fileName(period: Period, by: Grouping | undefined): string {
  const [from, to] = [period.from, period.to].map((at) => dayOf(new Date(at)))
  return ['report', from, to, ...(by === undefined ? [] : [by])].join('-')
}
