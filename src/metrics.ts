import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Counts } from './ledger/ledger.ts'

/** The process's metrics. Labels hold codes and names only, never ids or content, and none has unbounded values. */
export function createMetrics(readCounts: () => Promise<Counts>) {
  const registry = new Registry()
  const registers = [registry]
  const deliveries = new Counter({
    name: 'pawl_deliveries_total',
    help: 'Deliveries answered, by outcome and code.',
    labelNames: ['outcome', 'code'],
    registers,
  })
  const runs = new Counter({
    name: 'pawl_handler_runs_total',
    help: 'Runs of handlers, by result.',
    labelNames: ['handler', 'result'],
    registers,
  })
  const requests = new Histogram({
    name: 'pawl_api_request_seconds',
    help: 'Requests to the service, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 30],
    registers,
  })
  const resources = new Gauge({
    name: 'pawl_ledger',
    help: 'What the ledger holds.',
    labelNames: ['what'],
    registers,
    async collect() {
      for (const [what, value] of Object.entries(await readCounts())) this.set({ what }, Number(value))
    },
  })
  void resources
  return { registry, deliveries, runs, requests }
}

export type Metrics = ReturnType<typeof createMetrics>
