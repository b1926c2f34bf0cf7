import { setTimeout as sleep } from 'node:timers/promises'
import { Gauge, type Registry } from 'prom-client'
import type { CountViews, Counts } from '@pawl/ledger/views/counts'
import type { LagViews } from '@pawl/ledger/projections/lags'

/** Max wait of metrics for the ledger, in milliseconds. */
const countsTimeoutMs = 2_000

/** Help text and value of each metric. */
const gauges: Record<string, { help: string; read: (counts: Counts) => number }> = {
  pawl_ledger_events: { help: 'Events stored; copies count with their event.', read: (c) => c.events },
  pawl_ledger_events_unhandled: { help: 'Events that no handler can follow.', read: (c) => c.unhandled },
  pawl_ledger_resources: { help: 'Resources in the ledger.', read: (c) => c.resources },
  pawl_ledger_resources_due: { help: 'Resources with work to do, now or later.', read: (c) => c.due },
  pawl_ledger_oldest_due_seconds: {
    help: 'How long the oldest due work has been due.',
    read: (c) => c.oldestDueMs / 1_000,
  },
  pawl_ledger_work_waiting: {
    help: 'Pieces of work that wait for a pause or an absent system.',
    read: (c) => c.waiting,
  },
  pawl_ledger_oldest_waiting_seconds: {
    help: 'Age of the first event of the work that waits longest for a pause or an absent system.',
    read: (c) => c.oldestWaitingMs / 1_000,
  },
  pawl_ledger_work_parked: { help: 'Parked pieces of work.', read: (c) => c.parked },
  pawl_ledger_oldest_parked_seconds: {
    help: 'How long the oldest parked work has been parked.',
    read: (c) => c.oldestParkedMs / 1_000,
  },
  pawl_ledger_polls_due: { help: 'Resources due for a poll now.', read: (c) => c.toPoll },
  pawl_ledger_polls_failed: {
    help: 'Resources whose requested poll failed; they are retried.',
    read: (c) => c.unreadable,
  },
}

/** The reads of the ledger's metrics. */
export interface LedgerReads {
  readCounts: CountViews['counts']
  readLags: LagViews['projectionLags']
}

interface Read {
  counts: Counts
  lags: Awaited<ReturnType<LedgerReads['readLags']>>
}

/** Registers the metrics read from the ledger. While it is away, `pawl_ledger_up` is 0 and the others are omitted; metrics of the process remain. */
export function registerLedgerMetrics(registry: Registry, { readCounts, readLags }: LedgerReads): void {
  let asking: Promise<Read | undefined> | undefined
  let reading: Promise<Read | undefined> | undefined

  // One query at a time, regardless of the number of scrapes.
  const askOnce = () =>
    (asking ??= Promise.all([readCounts(), readLags()])
      .then(([counts, lags]) => ({ counts, lags }))
      .catch(() => undefined)
      .finally(() => (asking = undefined)))
  /** One read for all metrics of a scrape. */
  const read = () =>
    (reading ??= Promise.race([askOnce(), sleep(countsTimeoutMs, undefined, { ref: false })]).finally(
      () => (reading = undefined),
    ))

  const up = new Gauge({
    name: 'pawl_ledger_up',
    help: 'Whether the ledger answers: 1 or 0.',
    registers: [],
    async collect() {
      this.set((await read()) === undefined ? 0 : 1)
    },
  })
  registry.registerMetric(up)
  for (const [name, { help, read: valueOf }] of Object.entries(gauges)) {
    const gauge = new Gauge({
      name,
      help,
      registers: [],
      async collect() {
        const found = await read()
        if (found === undefined) this.remove()
        else this.set(valueOf(found.counts))
      },
    })
    registry.registerMetric(gauge)
  }
  const lag = new Gauge({
    name: 'pawl_ledger_projection_lag_seconds',
    help: 'Age of the oldest row that a projection has not read.',
    labelNames: ['projection'],
    registers: [],
    async collect() {
      this.reset()
      for (const [projection, lagMs] of Object.entries((await read())?.lags ?? {}))
        this.set({ projection }, lagMs / 1_000)
    },
  })
  registry.registerMetric(lag)
}
