import { Gauge, type Registry } from 'prom-client'
import type { Alerts } from '../alerts/alerts.ts'

/** Adds to the metrics which alerts are open, and whether their targets take them. */
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
  add('pawl_alerts_open', 'Alerts that are open, by what they are about.', 'kind', (gauge) => {
    gauge.reset()
    for (const { kind } of readLast().open) gauge.inc({ kind })
  })
  const up = 'Targets of alerts: 1 where alerts reach it, 0 where three attempts in a row failed.'
  add('pawl_alert_target_up', up, 'target', (gauge) => {
    for (const { name, isDead } of readLast().targets) gauge.set({ target: name }, isDead ? 0 : 1)
  })
  add('pawl_alerts_unsent', 'Steps of alerts that a target has not heard of.', 'target', (gauge) => {
    for (const { name, waiting } of readLast().targets) gauge.set({ target: name }, waiting)
  })
}
