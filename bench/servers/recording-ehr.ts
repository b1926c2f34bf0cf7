import type { System } from '../../packages/connector/src/system.ts'
import type { Ehr } from '../../packages/ehr/src/ehr.ts'
import { createMemoryEhr } from '../../packages/ehr/src/memory/memory-ehr.ts'
import { monotonicMs } from '../monotonic.ts'

/** How far the work is. */
export interface Done {
  /** Pieces of work that were finished: runs of a handler, or jobs. */
  runs: number
  /** When the first and the last were, by `monotonicMs`. */
  firstAt: number
  lastAt: number
}

/** A chart, by default in memory, that notes what was written when. */
export interface RecordingEhr {
  ehr: System<Ehr>
  /** Notes that one piece of work was finished. */
  noteDone(): void
  /** Notes that a PA was written, where another code than this chart's did so. */
  noteWritten(id: string): void
  /** Questions of the parent process: `done`, and the times at which each PA was first written, `written`. */
  questions: { done(): Done; written(): [string, number][] }
}

export function createRecordingEhr(chart: System<Ehr> = createMemoryEhr()): RecordingEhr {
  const written = new Map<string, number>()
  let runs = 0
  let firstAt = 0
  let lastAt = 0
  const noteWritten = (id: string) => {
    if (!written.has(id)) written.set(id, monotonicMs())
  }
  return {
    ehr: {
      ...chart,
      open(run) {
        const port = chart.open(run)
        return {
          ...port,
          async putPriorAuthorization(pa) {
            await port.putPriorAuthorization(pa)
            noteWritten(pa.id)
          },
        }
      },
    },
    noteWritten,
    noteDone() {
      runs += 1
      lastAt = monotonicMs()
      firstAt ||= lastAt
    },
    questions: {
      done: () => ({ runs, firstAt, lastAt }),
      written: () => [...written],
    },
  }
}
