import { setTimeout as sleep } from 'node:timers/promises'
import type { Grouping } from '../service/schemas/outcome-facts.ts'
import type { Period } from './period.ts'
import { readReport } from './read-report.ts'
import type { Report } from './report.ts'
import type { Views } from '../ledger/views/create-views.ts'

/** A report, or how many resources were counted for it so far. */
export type Prepared = { report: Report } | { counted: number }

/** Reports for pages, which wait for none of them. */
export interface PrepareReports {
  /** Waits for `patienceMs` at the most; a report that is not there by then goes on being computed, for whoever asks again by the same name. `period` is only looked at where there is none of that name. Throws what its reading threw. */
  ask(name: string, period: Period, by: Grouping | undefined): Promise<Prepared>
}

interface Deps {
  ledger: Pick<Views, 'listOutcomes'>
  /** Aborts when the process stops. */
  stopping: AbortSignal
  /** Default: short enough that a page is there at once. */
  patienceMs?: number
  /** For how long a report that was waited for is kept: a reload is quick. Others are computed anew each time. */
  keepMs?: number
}

interface Entry {
  reading: Promise<Report>
  counted: number
  /** Somebody was told to ask again. */
  isAwaited: boolean
}

/** Computes reports one after the other, so that however many people ask, none of them keeps the ledger from its deliveries. */
export function createPrepareReports({ ledger, stopping, patienceMs = 150, keepMs = 60_000 }: Deps): PrepareReports {
  const entries = new Map<string, Entry>()
  let previous: Promise<unknown> = Promise.resolve()

  function begin(name: string, period: Period, by: Grouping | undefined): Entry {
    let partBeganAt = 0
    const onCounted = async (counted: number) => {
      entry.counted = counted
      // What takes long takes no more than half of the ledger's time.
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
    async ask(name, period, by) {
      const entry = entries.get(name) ?? begin(name, period, by)
      const patience = new AbortController()
      const tired = sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => undefined)
      try {
        const report = await Promise.race([entry.reading, tired])
        if (report !== undefined) return { report }
        entry.isAwaited = true
        return { counted: entry.counted }
      } catch (error) {
        // Whoever asks next has it tried anew.
        entries.delete(name)
        throw error
      } finally {
        patience.abort()
      }
    },
  }
}
