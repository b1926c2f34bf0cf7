import { Router } from 'express'
import { z } from 'zod'
import type { Alerts, ShownAlert, ShownTarget } from '../alerts/alerts.ts'

const Part = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(50),
  before: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
})

/** GET /api/alerts, what is open and how the targets stand, /api/alerts/history, all there were, and POST /api/alerts/test, which has each target sent a test message. */
export function createAlertRoutes(alerts: Pick<Alerts, 'read' | 'list' | 'test'>): Router {
  const router = Router()
  router.get('/api/alerts', async (_req, res) => {
    res.json(alertsToJson(await alerts.read()))
  })
  router.get('/api/alerts/history', async (req, res) => {
    const part = Part.safeParse(req.query)
    if (!part.success) {
      const message = 'limit is a number from 1 to 1000, before the cursor of an earlier part.'
      return void res.status(400).json({ error: { code: 'bad_request', message } })
    }
    const { limit, before } = part.data
    const found = await alerts.list(limit + 1, before)
    const rows = found.slice(0, limit)
    res.json({ alerts: rows.map(alertToJson), cursor: found.length > limit ? rows.at(-1)?.id : undefined })
  })
  router.post('/api/alerts/test', async (_req, res) => {
    const answers = await alerts.test()
    res.json({ targets: answers.map((each) => ({ ...each, answer: each.ok ? each.said : each.code })) })
  })
  return router
}

/** What is open, and how the targets stand, as the JSON API says it. */
export function alertsToJson({ open, targets }: { open: readonly ShownAlert[]; targets: readonly ShownTarget[] }) {
  return { open: open.map(alertToJson), targets }
}

function alertToJson({ id, kind, level, count, title, advice, command, resourceId, openedAt, closedAt }: ShownAlert) {
  return { id, kind, level, count, title, advice, command, resourceId, openedAt, closedAt }
}
