import { setTimeout as sleep } from 'node:timers/promises'
import { Gauge, type Registry } from 'prom-client'
import type { Counts } from '../ledger/views/counts.ts'

/** How long metrics wait for the ledger, in milliseconds. */
const countsTimeoutMs = 2_000

/** What each one tells, and how it is read off the counts. */
const gauges: Record<string, { help: string; read: (counts: Counts) => number }> = {
  pawl_ledger_events: { help: 'Events stored; copies count with the event that they repeat.', read: (c) => c.events },
  pawl_ledger_events_unhandled: { help: 'Events that no handler can follow.', read: (c) => c.unhandled },
  pawl_ledger_resources: { help: 'Resources that the ledger knows.', read: (c) => c.resources },
  pawl_ledger_resources_due: { help: 'Resources with work to do, now or later.', read: (c) => c.due },
  pawl_ledger_oldest_due_seconds: {
    help: 'For how long the oldest due work could have been done.',
    read: (c) => c.oldestDueMs / 1_000,
  },
  pawl_ledger_work_waiting: {
    help: 'Pieces of work that wait for a hold or an absent system.',
    read: (c) => c.waiting,
  },
  pawl_ledger_oldest_waiting_seconds: {
    help: 'For how long the first event is stored of the work that waits longest for a hold or an absent system.',
    read: (c) => c.oldestWaitingMs / 1_000,
  },
  pawl_ledger_work_parked: { help: 'Pieces of work that were given up.', read: (c) => c.parked },
  pawl_ledger_oldest_parked_seconds: {
    help: 'For how long the oldest parked work has been parked.',
    read: (c) => c.oldestParkedMs / 1_000,
  },
  pawl_ledger_polls_due: { help: 'Resources about which the service is to be asked now.', read: (c) => c.toPoll },
  pawl_ledger_polls_failed: {
    help: 'Resources that could not be read when somebody asked for it, and are tried again.',
    read: (c) => c.unreadable,
  },
}

/** Registers what is read from the ledger. While that is away, `pawl_ledger_up` is 0 and the others are left out: the process has more to tell than its ledger. */
export function registerLedgerMetrics(registry: Registry, readCounts: () => Promise<Counts>): void {
  let asked: Promise<Counts | undefined> | undefined
  let reading: Promise<Counts | undefined> | undefined

  // One question at a time, however often it is asked while nothing answers.
  const ask = () =>
    (asked ??= readCounts()
      .catch(() => undefined)
      .finally(() => (asked = undefined)))
  /** The same for all that are collected together. */
  const read = () =>
    (reading ??= Promise.race([ask(), sleep(countsTimeoutMs, undefined, { ref: false })]).finally(
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
        const counts = await read()
        if (counts === undefined) this.remove()
        else this.set(valueOf(counts))
      },
    })
    registry.registerMetric(gauge)
  }
}
