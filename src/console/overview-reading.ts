import type { Ledger } from '../ledger/ledger.ts'
import type { OverviewReading } from './pages/overview.tsx'
import { duration } from './pages/words.tsx'
import type { Vitals } from './vitals.ts'

/** A system that is away, as far as this process knows. */
export interface AwaySystem {
  system: string
  forMs?: number
  leftAloneMs?: number
  error?: { code: string; message: string }
}

export interface OverviewDeps {
  ledger: Pick<Ledger, 'counts' | 'nextDueIn'>
  readBreakers: () => Record<string, string>
  readAway: () => readonly AwaySystem[]
  vitals: Pick<Vitals, 'read'>
  role: string
  queueName: string
  inWork: () => number
}

const states: Readonly<Record<string, string>> = { closed: 'in use', open: 'away', half_open: 'asked again' }

/** Milliseconds for which a reading is shown to all who ask. */
const freshMs = 1_000

/** Makes what reads the overview: at most once a second, however many look. */
export function createReadOverview(deps: OverviewDeps): () => Promise<OverviewReading> {
  let last: { at: number; reading: Promise<OverviewReading> } | undefined

  async function read(): Promise<OverviewReading> {
    const { ledger, readBreakers, readAway, vitals, role, queueName, inWork } = deps
    const counts = await ledger.counts()
    const nextDueIn = await ledger.nextDueIn()
    const away = readAway()
    return {
      role,
      counts,
      oldestDueMs: Math.max(0, -(nextDueIn ?? 0)),
      vitals: vitals.read(),
      systems: Object.entries(readBreakers()).map(([system, state]) => ({
        system,
        state: states[state] ?? state,
        since: sinceOf(away.find((each) => each.system === system)),
      })),
      queue: { name: queueName, inWork: inWork() },
    }
  }

  return () => {
    if (last === undefined || performance.now() - last.at > freshMs) {
      const reading = read()
      last = { at: performance.now(), reading }
      // Nobody is shown a failure that is over.
      reading.catch(() => (last = undefined))
    }
    return last.reading
  }
}

function sinceOf(away: AwaySystem | undefined): string {
  if (away === undefined) return '–'
  if (away.forMs === undefined) return `another process found it away`
  return `${duration(away.forMs)}: ${away.error?.code ?? 'unexpected'}`
}
