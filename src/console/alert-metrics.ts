import { Gauge, type Registry } from 'prom-client'
import type { Alerts } from '../alerts/alerts.ts'

/** Adds to the metrics which alerts are open, and whether their targets take them. */
export function addAlertMetrics(registry: Registry, readLast: Alerts['last']): void {
  const registers = [registry]
  new Gauge({
    name: 'pawl_alerts_open',
    help: 'Alerts that are open, by what they are about.',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset()
      for (const { kind } of readLast().open) this.inc({ kind })
    },
  })
  new Gauge({
    name: 'pawl_alert_target_up',
    help: 'Targets of alerts: 1 where alerts reach it, 0 where three attempts in a row failed.',
    labelNames: ['target'],
    registers,
    collect() {
      for (const { name, isDead } of readLast().targets) this.set({ target: name }, isDead ? 0 : 1)
    },
  })
  new Gauge({
    name: 'pawl_alerts_unsent',
    help: 'Steps of alerts that a target has not heard of.',
    labelNames: ['target'],
    registers,
    collect() {
      for (const { name, waiting } of readLast().targets) this.set({ target: name }, waiting)
    },
  })
}
