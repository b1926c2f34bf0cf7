import { Router } from 'express'
import { z } from 'zod'
import { Word } from '@pawl/base/pages/query'
import { readPeriod } from './report/period.ts'
import { createPrepareReports } from './report/prepare-reports.ts'
import { groupings } from 'pawl-client/schemas/outcome-facts'
import { ReportPage } from './pages/report.tsx'
import { sendPage } from './render.tsx'
import type { LagViews } from '@pawl/ledger/projections/lags'
import type { OutcomeViews } from '@pawl/ledger/views/list-outcomes'
import type { TallyViews } from '@pawl/ledger/views/tallies'
import { historyRanges } from './ranges.ts'

export interface ReportPagesDeps {
  ledger: OutcomeViews & LagViews & Pick<TallyViews, 'tallies'>
  stopping: AbortSignal
  now: () => number
}

// A form sends empty fields for omitted ones.
const Query = z.object({ from: Word, to: Word, by: z.enum(groupings).optional().catch(undefined) })

/** Makes the page of the report, which loads at once; slow figures follow. */
export function createReportPages({ ledger, stopping, now }: ReportPagesDeps): Router {
  const reports = createPrepareReports({ ledger, stopping })
  const router = Router()
  router.get('/report', async (req, res) => {
    const query = Query.parse(req.query)
    const period = readPeriod(query, now())
    if ('fault' in period) return sendPage(res, <ReportPage query={query} fault={period.fault} />, 400)
    const name = JSON.stringify([query.from, query.to, query.by])
    const prepared = await reports.prepare(name, period, query.by)
    const { span, forMs } = historyRanges['7 d']
    const backlog = await ledger.tallies(span, forMs)
    sendPage(res, <ReportPage query={query} prepared={prepared} backlog={{ tallies: backlog, now: now() }} />)
  })
  return router
}
