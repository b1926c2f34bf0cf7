import { setTimeout as sleep } from 'node:timers/promises'
import type { Grouping } from 'pawl-client/schemas/outcome-facts'
import type { Period } from './period.ts'
import { readReport } from './read-report.ts'
import type { Report } from './report.ts'
import type { LagViews } from '@pawl/ledger/projections/lags'
import type { OutcomeViews } from '@pawl/ledger/views/list-outcomes'

/** A report, or the number of resources counted for it so far. */
export type Prepared = { report: Report } | { counted: number }

/** Reports for pages, computed in the background. */
export interface PrepareReports {
  /** Waits for at most `patienceMs`; a slower report continues for the next request of the same name. `period` counts for the first request of a name only. Throws the errors of reading it. */
  prepare(name: string, period: Period, by: Grouping | undefined): Promise<Prepared>
}

interface Deps {
  ledger: OutcomeViews & LagViews
  /** Aborts when the process stops. */
  stopping: AbortSignal
  /** Default: short enough for a page to appear at once. */
  patienceMs?: number
  /** How long a slow report is cached, so that a reload is quick. Others are computed each time. */
  keepMs?: number
}

interface Entry {
  reading: Promise<Report>
  counted: number
  /** A page told its client to request again. */
  isAwaited: boolean
}

/** Computes reports in sequence, so that concurrent requests never starve the ledger's deliveries. */
export function createPrepareReports({ ledger, stopping, patienceMs = 150, keepMs = 60_000 }: Deps): PrepareReports {
  const entries = new Map<string, Entry>()
  let previous: Promise<unknown> = Promise.resolve()

  function begin(name: string, period: Period, by: Grouping | undefined): Entry {
    let partBeganAt = 0
    const onCounted = async (counted: number) => {
      entry.counted = counted
      // A slow report takes at most half of the ledger's time.
      if (entry.isAwaited) await sleep(performance.now() - partBeganAt, undefined, { signal: stopping })
      partBeganAt = performance.now()
    }
    const read = () => {
      partBeganAt = performance.now()
      return readReport(ledger, { ...period, by }, { onCounted, signal: stopping })
    }
    const entry: Entry = { reading: previous.then(read), counted: 0, isAwaited: false }
    previous = entry.reading.catch(() => undefined)
    const forget = () => {
      if (entries.get(name) === entry) entries.delete(name)
    }
    void previous.then(() => (entry.isAwaited ? void setTimeout(forget, keepMs).unref() : forget()))
    entries.set(name, entry)
    return entry
  }

  return {
    async prepare(name, period, by) {
      const entry = entries.get(name) ?? begin(name, period, by)
      const patience = new AbortController()
      const tired = sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => undefined)
      try {
        const report = await Promise.race([entry.reading, tired])
        if (report !== undefined) return { report }
        entry.isAwaited = true
        return { counted: entry.counted }
      } catch (error) {
        // The next request tries again.
        entries.delete(name)
        throw error
      } finally {
        patience.abort()
      }
    },
  }
}
