import { Gauge, type Registry } from 'prom-client'
import type { Alerts } from './alerts/alerts.ts'

/** Adds metrics of open alerts and of their targets. */
export function addAlertMetrics(registry: Registry, readLast: Alerts['last']): void {
  const add = (name: string, help: string, label: string, collect: (gauge: Gauge) => void) =>
    registry.registerMetric(
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [],
        collect() {
          collect(this)
        },
      }),
    )
  add('pawl_alerts_open', 'Open alerts by kind.', 'kind', (gauge) => {
    gauge.reset()
    for (const { kind } of readLast().open) gauge.inc({ kind })
  })
  const up = 'Targets of alerts: 1 where alerts reach it, 0 where three attempts in a row failed.'
  add('pawl_alert_target_up', up, 'target', (gauge) => {
    for (const { name, isDead } of readLast().targets) gauge.set({ target: name }, isDead ? 0 : 1)
  })
  add('pawl_alerts_unsent', 'Alerts whose current state was not sent to a target yet.', 'target', (gauge) => {
    for (const { name, waiting } of readLast().targets) gauge.set({ target: name }, waiting)
  })
}
