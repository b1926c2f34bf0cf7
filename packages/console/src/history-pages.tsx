import { Router } from 'express'
import { z } from 'zod'
import type { Alerts } from './alerts/alerts.ts'
import type { TallyViews } from '@pawl/ledger/views/tallies'
import { historyRanges } from './ranges.ts'
import { HistoryPage } from './pages/history.tsx'
import { sendPage } from './render.tsx'

export interface HistoryPagesDeps {
  ledger: Pick<TallyViews, 'tallies'>
  alerts: Pick<Alerts, 'list'>
  now: () => number
}

/** Max alerts that are marked. */
const maxIncidents = 100

const Range = z.enum(['1 h', '24 h', '7 d']).catch('1 h')

/** The page of deliveries, runs and backlog over time. */
export function createHistoryPages({ ledger, alerts, now }: HistoryPagesDeps): Router {
  const router = Router()
  router.get('/history', async (req, res) => {
    const range = Range.parse(req.query.range)
    const { forMs, stepMs, span } = historyRanges[range]
    const tallies = await ledger.tallies(span, forMs + stepMs)
    const since = now() - forMs
    const incidents = (await alerts.list(maxIncidents)).filter(
      ({ closedAt }) => closedAt === undefined || closedAt > since,
    )
    sendPage(res, <HistoryPage range={range} tallies={tallies} incidents={incidents} now={now()} />)
  })
  return router
}
