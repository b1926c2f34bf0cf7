import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { type LedgerReads, registerLedgerMetrics } from './ledger-metrics.ts'
import type { Pause } from '@pawl/ledger/hot/pause'

export interface MetricsDeps extends LedgerReads {
  /** State of each system that pawl depends on. */
  readBreakers: () => Record<string, keyof typeof openness>
  /** The current pauses. */
  readPauses: () => readonly Pause[]
  /** Milliseconds by which this machine's clock is ahead of the service's, if known. */
  readClockAhead?: (() => number | undefined) | undefined
}

const openness = { closed: 0, half_open: 0.5, open: 1 } as const

/** The process's metrics. Labels hold codes and names only, never ids or content, and none has unbounded values. */
export function createMetrics({ readBreakers, readPauses, readClockAhead, ...ledger }: MetricsDeps) {
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
    help: 'Runs of handlers, by result; `waited`: for a system or a pause.',
    labelNames: ['handler', 'result'],
    registers,
  })
  const drift = new Counter({
    name: 'pawl_drift_total',
    help: 'Occurrences of names and codes that pawl does not know, by kind.',
    labelNames: ['kind'],
    registers,
  })
  const requests = new Histogram({
    name: 'pawl_api_request_seconds',
    help: 'Requests to the service, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 30],
    registers,
  })
  const answers = new Histogram({
    name: 'pawl_delivery_answer_seconds',
    help: 'Time from a delivery to its response, by outcome.',
    labelNames: ['outcome'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers,
  })
  const syncs = new Histogram({
    name: 'pawl_sync_seconds',
    help: 'Time from storing the first event that a run covered to the success of the run.',
    labelNames: ['handler'],
    buckets: [0.1, 0.5, 1, 5, 30, 60, 300, 3_600, 86_400],
    registers,
  })
  registerLedgerMetrics(registry, ledger)
  const breakers = new Gauge({
    name: 'pawl_breaker_open',
    help: 'Systems that are away: 1 away, 0.5 being probed, 0 in use.',
    labelNames: ['system'],
    registers,
    collect() {
      for (const [system, state] of Object.entries(readBreakers())) this.set({ system }, openness[state])
    },
  })
  const paused = new Gauge({
    name: 'pawl_paused',
    help: 'Pauses: 1 for each handler, system, or all work.',
    labelNames: ['kind', 'name'],
    registers,
    collect() {
      this.reset()
      for (const { kind, name } of readPauses()) this.set({ kind, name }, 1)
    },
  })
  const stalls = new Histogram({
    name: 'pawl_event_loop_hold_seconds',
    help: 'Event loop blocks of a second and more.',
    buckets: [1, 2, 5, 10, 30],
    registers,
  })
  const clock = new Gauge({
    name: 'pawl_clock_ahead_seconds',
    help: "Seconds by which this machine's clock is ahead of the service's, negative if behind; absent while unknown.",
    registers,
    collect() {
      const aheadMs = readClockAhead?.()
      if (aheadMs === undefined) this.remove()
      else this.set(aheadMs / 1_000)
    },
  })
  return { registry, stalls, clock, paused, deliveries, answers, runs, syncs, drift, requests, breakers }
}
