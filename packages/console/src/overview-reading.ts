import type { Away } from '@pawl/ledger/away'
import { readPatiently } from './read-patiently.ts'
import type { Alerts } from './alerts/alerts.ts'
import { isPaused } from './pausing.ts'
import type { OverviewReading } from './pages/overview.tsx'
import { duration } from '@pawl/base/pages/words'
import type { Vitals } from './vitals.ts'
import type { Counts, CountViews } from '@pawl/ledger/views/counts'
import type { Pause } from '@pawl/ledger/hot/pause'
import { totalOf } from './filtered-work.ts'
import type { Facts } from './verdict/facts.ts'
import type { SystemState } from './pages/systems.tsx'
import { faultOfAway } from './verdict/absent-systems.ts'
import { judge } from './verdict/judge-facts.ts'
import type { LeftOutViews } from '@pawl/ledger/hot/left-out'
import type { PeopleViews } from '@pawl/ledger/views/waiting-for-people'

export interface OverviewDeps {
  ledger: Pick<CountViews, 'counts'> & Pick<PeopleViews, 'countWaitingForPeople'> & Pick<LeftOutViews, 'leftOut'>
  readBreakers: () => Record<string, string>
  readAway: () => readonly Away[]
  vitals: Pick<Vitals, 'read'>
  readFacts: (counts: Facts['counts']) => Promise<Facts>
  alerts: Pick<Alerts, 'last'>
  role: string
  queueName: string
  inWork: () => number
}

const states: Readonly<Record<string, string>> = { closed: 'in use', open: 'away', half_open: 'being probed' }

/** Milliseconds for which a reading is cached. */
const freshMs = 1_000

/** Max wait of a page for totals, in milliseconds: a large ledger is counted step by step, and shown once counted. */
const patienceMs = 150

/** Reads the overview, at most once a second unless it must show the result of a form. */
export type ReadOverview = (options?: { isAnew?: boolean }) => Promise<OverviewReading>

export function createReadOverview(deps: OverviewDeps): ReadOverview {
  /** The counts, or the previous ones if they take long; `undefined` before the first. */
  const readCounts = readPatiently<Counts | undefined>(() => deps.ledger.counts(), patienceMs, undefined)
  let last: { at: number; reading: Promise<OverviewReading> } | undefined

  async function read(): Promise<OverviewReading> {
    const { ledger, readBreakers, readAway, vitals, alerts, role, queueName, inWork } = deps
    const { open, targets } = alerts.last()
    const counts = await readCounts()
    const facts = await deps.readFacts(counts ?? { due: 0, waiting: 0, oldestDueMs: 0 })
    const { pauses } = facts
    const away = readAway()
    return {
      verdict: judge(facts),
      now: facts.now,
      failing: totalOf(facts.groups.filter(({ state }) => state === 'failing')),
      waitingCases: facts.waitingCases.length === 1 ? facts.waitingCases[0]?.count : undefined,
      waitingForPeople: await ledger.countWaitingForPeople(),
      role,
      pauses,
      leftOut: await ledger.leftOut(),
      counts,
      vitals: vitals.read(),
      systems: statesOf(readBreakers(), pauses, away).map((each) => ({
        ...each,
        since: sinceOf(away.filter(({ system }) => system === each.system)),
      })),
      alerts: { open: open.length, targets },
      queue: { name: queueName, inWork: inWork() },
    }
  }

  return ({ isAnew = false } = {}) => {
    if (isAnew || last === undefined || performance.now() - last.at > freshMs) {
      const reading = read()
      last = { at: performance.now(), reading }
      // Do not cache a failure.
      reading.catch(() => (last = undefined))
    }
    return last.reading
  }
}

/** State of each system, in words and in the colour of its fault in the verdict. */
export function statesOf(breakers: Record<string, string>, pauses: readonly Pause[], away: readonly Away[]) {
  return Object.entries(breakers).map(([system, state]): SystemState => {
    if (isPaused(pauses, { kind: 'system', name: system })) return { system, state: 'paused', tone: 'wait' }
    const own = away.filter((each) => each.system === system)
    const found = own.find(({ request }) => request === undefined) ?? own[0]
    if (found === undefined || state === 'half_open')
      return { system, state: states[state] ?? state, tone: state === 'closed' ? 'good' : 'wait' }
    const { code, severity } = faultOfAway(found, [])
    return {
      system,
      state: code === 'away' ? 'away' : found.request === undefined ? 'refuses pawl' : 'refuses some',
      tone: severity,
    }
  })
}

/** How long a system has been away, and why, or the kinds of request that it refuses. */
function sinceOf(away: readonly Away[]): string {
  const whole = away.find(({ request }) => request === undefined)
  if (away.length === 0) return '–'
  if (whole === undefined) return `refuses ${away.map(({ request }) => request).join(', ')}`
  if (whole.forMs === undefined) return 'away, as another process reports'
  return [duration(whole.forMs), faultOfAway(whole, []).why].filter(Boolean).join(': ')
}
