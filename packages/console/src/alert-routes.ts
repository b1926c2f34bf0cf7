import { Router } from 'express'
import type { Alerts, ShownAlert, ShownTarget } from './alerts/alerts.ts'
import { contract } from './contract/contract.ts'
import { serve } from './serve.ts'

/** Routes of open alerts with their targets, of all alerts, and of a test message to each target. */
export function createAlertRoutes(alerts: Pick<Alerts, 'read' | 'list' | 'test'>): Router {
  const router = Router()
  serve(router, contract.alerts, async () => alertsToJson(await alerts.read()))
  serve(router, contract.alertHistory, async ({ query: { limit, before } }) => {
    const found = await alerts.list(limit + 1, before)
    const rows = found.slice(0, limit)
    return { alerts: rows.map(alertToJson), cursor: found.length > limit ? rows.at(-1)?.id : undefined }
  })
  serve(router, contract.testAlerts, async () => {
    const answers = await alerts.test()
    return {
      targets: answers.map((each) => ({ target: each.target, ok: each.ok, answer: each.ok ? each.said : each.code })),
    }
  })
  return router
}

/** Open alerts and the state of their targets, as in the JSON API. */
export function alertsToJson({ open, targets }: { open: readonly ShownAlert[]; targets: ShownTarget[] }) {
  return { open: open.map(alertToJson), targets }
}

function alertToJson({ id, kind, level, count, most, fault, resourceId, openedAt, closedAt }: ShownAlert) {
  return { id, kind, level, count, most, fault, resourceId, openedAt, closedAt }
}
