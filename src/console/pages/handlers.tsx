import type { FailureGroup, LastRun } from '../../ledger/ledger.ts'
import { queryOf } from '../failure-filter.ts'
import type { HandlerRate } from '../vitals.ts'
import { Layout } from './layout.tsx'
import { Table } from './table.tsx'
import { count, countFailed, duration } from './words.tsx'

interface HandlersPageProps {
  handlers: readonly {
    name: string
    rate: HandlerRate | undefined
    lastRun: LastRun | undefined
    /** Its failed work: parked, and tried again. */
    parked: number
    failing: number
    newest: FailureGroup | undefined
  }[]
  now: number
}

/** The handlers of the integration: what they do in an hour, and what they failed at last. */
export function HandlersPage({ handlers, now }: HandlersPageProps) {
  return (
    <Layout title="Handlers" at="/handlers">
      <Table
        caption="Runs are those of this process in the last hour"
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
            show: ({ name, failing }) => <Work of={name} state="due" size={failing} />,
          },
          {
            name: 'Parked',
            kind: 'number',
            show: ({ name, parked }) => <Work of={name} state="parked" size={parked} />,
          },
          {
            name: 'Last error that still stands',
            kind: 'wide',
            show: ({ newest }) =>
              newest && (
                <>
                  <code>{newest.errorCode}</code>{' '}
                  {newest.newestAt !== undefined && `${duration(now - newest.newestAt)} ago`}: {newest.message}
                </>
              ),
          },
        ]}
      />
    </Layout>
  )
}

function Work({ of, state, size }: { of: string; state: 'parked' | 'due'; size: number }) {
  if (size === 0) return <span>0</span>
  return (
    <a href={`/parked${queryOf({ state, handler: of })}`} aria-label={`${countFailed(size)} of ${of}: show`}>
      {countFailed(size)}
    </a>
  )
}
