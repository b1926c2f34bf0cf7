import { queryOf } from '@pawl/base/pages/query'
import { allWork, isPaused } from '../pausing.ts'
import type { HandlerRate } from '../vitals.ts'
import { addressOfPause, nameOfTarget } from '../pause-names.ts'
import type { Probed, Resumed } from '../read-result.ts'
import { ProbeForm } from './deeds.tsx'
import { PauseBanner } from './pause.tsx'
import { ProbedNote, ResumedNote } from './result-notes.tsx'
import { Layout } from './console-layout.tsx'
import { Systems, type SystemState } from './systems.tsx'
import { Pill } from '@pawl/base/pages/pill'
import { Table } from '@pawl/base/pages/table'
import { countFailed } from './words.ts'
import { ago, count } from '@pawl/base/pages/words'
import { Allowed } from './viewer.tsx'
import type { Pause, PauseTarget } from '@pawl/ledger/hot/pause'
import type { LastRun } from '@pawl/ledger/views/list-runs'
import type { WorkGroup } from '@pawl/ledger/views/work-group'
import type { WorkState } from '@pawl/ledger/hot/work-filter'

interface ShownHandler extends Record<WorkState, number> {
  name: string
  rate: HandlerRate | undefined
  lastRun: LastRun | undefined
  newest: WorkGroup | undefined
}

interface HandlersPageProps {
  handlers: readonly ShownHandler[]
  systems: readonly ShownSystem[]
  pauses: readonly Pause[]
  resumed: Resumed | undefined
  probed: Probed | undefined
  now: number
}

interface ShownSystem extends SystemState {
  /** Whether it is away, or refuses a kind of request, and is not paused. */
  isAway: boolean
}

/** The handlers of the integration and their systems: runs of the last hour, last failures, and pauses. */
export function HandlersPage({ handlers, systems, pauses, resumed, probed, now }: HandlersPageProps) {
  return (
    <Layout title="Handlers" at="/handlers">
      <ResumedNote resumed={resumed} />
      <ProbedNote probed={probed} />
      <PauseBanner pauses={pauses} />
      <Allowed to="operate">
        <p>
          <a class="button" href={addressOfPause(allWork)}>
            {isPaused(pauses, allWork) ? 'Resume all work' : 'Pause all work'}
          </a>
        </p>
      </Allowed>
      <Table
        caption="Runs, and work that is not in sync"
        note="Runs of this process in the last hour"
        empty="The integration has no handler: add one to src/integration/index.ts."
        rows={handlers}
        columns={[
          { name: 'Handler', isBrief: true, show: ({ name }) => name },
          { name: 'Succeeded', kind: 'number', show: ({ rate }) => count(rate?.succeeded ?? 0) },
          { name: 'Failed', kind: 'number', show: ({ rate }) => count((rate?.failed ?? 0) + (rate?.parked ?? 0)) },
          { name: 'Last run', show: ({ lastRun }) => lastRun && `${lastRun.result} ${ago(lastRun.agoMs)}` },
          { name: 'Work', isBrief: true, show: (handler) => <OpenWork of={handler} /> },
          {
            name: 'Last unresolved error',
            kind: 'wide',
            show: ({ newest }) =>
              newest && (
                <>
                  <code>{newest.errorCode}</code> {newest.newestAt !== undefined && ago(now - newest.newestAt)}:{' '}
                  {newest.message}
                </>
              ),
          },
          { name: 'Action', show: ({ name }) => <PauseLink target={{ kind: 'handler', name }} pauses={pauses} /> },
        ]}
      />
      <Systems
        systems={systems}
        more={[
          {
            name: 'Action',
            show: ({ system: name }) => <PauseLink target={{ kind: 'system', name }} pauses={pauses} />,
          },
          ...(systems.some(({ isAway }) => isAway)
            ? [
                {
                  name: 'Away',
                  isBrief: true as const,
                  show: ({ system, isAway }: ShownSystem) => isAway && <ProbeForm system={system} />,
                },
              ]
            : []),
        ]}
      />
    </Layout>
  )
}

function PauseLink({ target, pauses }: { target: PauseTarget; pauses: readonly Pause[] }) {
  if (!isPaused(pauses, target))
    return (
      <Allowed to="operate">
        <a href={addressOfPause(target)} aria-label={`Pause ${nameOfTarget(target)}`}>
          Pause
        </a>
      </Allowed>
    )
  return (
    <>
      <a href={addressOfPause(target)} aria-label={`Paused: ${nameOfTarget(target)}`}>
        Paused
      </a>
      <Allowed to="operate">
        {', '}
        <a href={addressOfPause(target)} aria-label={`resume ${nameOfTarget(target)}`}>
          resume
        </a>
      </Allowed>
    </>
  )
}

const tones = { parked: 'bad', failing: 'warn', waiting: 'wait' } as const

/** How much of a handler's work is not in sync, by state, each leading to it. */
function OpenWork({ of }: { of: ShownHandler }) {
  const open = (['parked', 'failing', 'waiting'] as const).filter((state) => of[state] > 0)
  if (open.length === 0) return of.lastRun === undefined ? '–' : <Pill tone="good">in sync</Pill>
  return (
    <>
      {open.map((state) => (
        <a key={state} href={`/parked${queryOf({ state, handler: of.name })}`}>
          <Pill tone={tones[state]}>
            {countFailed(of[state])} {state}
          </Pill>
        </a>
      ))}
    </>
  )
}
