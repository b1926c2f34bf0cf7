import { queryOf } from '@pawl/base/pages/query'
import { allWork, isPaused } from '../pausing.ts'
import type { HandlerRate } from '../vitals.ts'
import { addressOfPause, nameOfTarget } from '../pause-names.ts'
import { type Asked, AskedNote, ProbeForm } from './cause-actions.tsx'
import { PauseBanner, type Resumed, ResumedNote } from './pause.tsx'
import { Layout } from './console-layout.tsx'
import { Systems } from './systems.tsx'
import { Table } from '@pawl/base/pages/table'
import { countFailed } from './words.ts'
import { count, duration } from '@pawl/base/pages/words'
import { Allowed } from './viewer.tsx'
import type { Pause, PauseTarget } from '@pawl/ledger/hot/pause'
import type { LastRun } from '@pawl/ledger/views/list-runs'
import type { WorkGroup } from '@pawl/ledger/views/work-groups'
import type { WorkState } from '@pawl/ledger/hot/work-filter'

interface HandlersPageProps {
  handlers: readonly {
    name: string
    rate: HandlerRate | undefined
    lastRun: LastRun | undefined
    /** Its failed work: parked, and in backoff. */
    parked: number
    failing: number
    /** Its work that waits for a pause or a system that is away. */
    waiting: number
    newest: WorkGroup | undefined
  }[]
  systems: readonly ShownSystem[]
  pauses: readonly Pause[]
  resumed: Resumed | undefined
  asked: Asked | undefined
  now: number
}

interface ShownSystem {
  system: string
  state: string
  /** Whether it, or a kind of request to it, is left alone for now, and it is not paused. */
  isAway: boolean
}

/** The handlers of the integration and their systems: runs of the last hour, last failures, and pauses. */
export function HandlersPage({ handlers, systems, pauses, resumed, asked, now }: HandlersPageProps) {
  return (
    <Layout title="Handlers" at="/handlers">
      <ResumedNote resumed={resumed} />
      <AskedNote asked={asked} />
      <PauseBanner pauses={pauses} />
      <Allowed to="operate">
        <p>
          <a class="button" href={addressOfPause(allWork)}>
            {isPaused(pauses, allWork) ? 'Resume all work' : 'Pause all work'}
          </a>
        </p>
      </Allowed>
      <Table
        caption="Runs, and work that is not in step"
        note="Runs: those of this process in the last hour"
        empty="The integration has no handler: add one to src/integration/index.ts."
        rows={handlers}
        columns={[
          { name: 'Handler', show: ({ name }) => name },
          { name: 'Succeeded', kind: 'number', show: ({ rate }) => count(rate?.succeeded ?? 0) },
          { name: 'Failed', kind: 'number', show: ({ rate }) => count((rate?.failed ?? 0) + (rate?.parked ?? 0)) },
          { name: 'Last run', show: ({ lastRun }) => lastRun && `${lastRun.result} ${duration(lastRun.agoMs)} ago` },
          {
            name: 'Failing',
            kind: 'number',
            show: ({ name, failing }) => <Work of={name} state="failing" size={failing} />,
          },
          {
            name: 'Waiting',
            kind: 'number',
            show: ({ name, waiting }) => <Work of={name} state="waiting" size={waiting} />,
          },
          {
            name: 'Parked',
            kind: 'number',
            show: ({ name, parked }) => <Work of={name} state="parked" size={parked} />,
          },
          {
            name: 'Last unresolved error',
            kind: 'wide',
            show: ({ newest }) =>
              newest && (
                <>
                  <code>{newest.errorCode}</code>{' '}
                  {newest.newestAt !== undefined && `${duration(now - newest.newestAt)} ago`}: {newest.message}
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
            ? [{ name: 'Away', show: ({ system, isAway }: ShownSystem) => isAway && <ProbeForm system={system} /> }]
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

function Work({ of, state, size }: { of: string; state: WorkState; size: number }) {
  if (size === 0) return <span>0</span>
  return (
    <a href={`/parked${queryOf({ state, handler: of })}`} aria-label={`${countFailed(size)} of ${of}: show`}>
      {countFailed(size)}
    </a>
  )
}
