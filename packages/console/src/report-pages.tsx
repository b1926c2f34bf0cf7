import { Router } from 'express'
import { z } from 'zod'
import { Word } from '@pawl/base/pages/query'
import { readPeriod } from './report/period.ts'
import { createPrepareReports } from './report/prepare-reports.ts'
import { groupings } from 'pawl-client/schemas/outcome-facts'
import { ReportPage } from './pages/report.tsx'
import { sendPage } from './render.tsx'
import type { OutcomeViews } from '@pawl/ledger/views/list-outcomes'

export interface ReportPagesDeps {
  ledger: OutcomeViews
  stopping: AbortSignal
  now: () => number
}

// A form sends omitted fields as empty.
const Query = z.object({ from: Word, to: Word, by: z.enum(groupings).optional().catch(undefined) })

/** Makes the page of the report, which loads at once; slow figures follow. */
export function createReportPages({ ledger, stopping, now }: ReportPagesDeps): Router {
  const reports = createPrepareReports({ ledger, stopping })
  const router = Router()
  router.get('/report', async (req, res) => {
    const asked = Query.parse(req.query)
    const period = readPeriod(asked, now())
    if ('fault' in period) return sendPage(res, <ReportPage asked={asked} fault={period.fault} />, 400)
    const name = JSON.stringify([asked.from, asked.to, asked.by])
    sendPage(res, <ReportPage asked={asked} prepared={await reports.ask(name, period, asked.by)} />)
  })
  return router
}
