import { Table } from '@pawl/base/pages/table'
import type { RunDelivery } from '../../scenarios/run-deliveries.ts'
import type { Run, RunStep } from '../../scenarios/run-progress.ts'
import type { Happened } from '../../scenarios/run-story.ts'
import { addressOfCase } from '../cases/addresses.ts'
import { Change } from '../cases/story.tsx'
import { EventName } from '@pawl/base/pages/event-name'
import { addressOfDelivery } from '../deliveries/delivery-table.tsx'
import { Choice, PostForm } from '../form.tsx'
import { Layout } from '../sandbox-layout.tsx'

/** Path of the scenarios page. */
const scenariosAddress = '/_sandbox/pages/scenarios'

interface ScenariosPageProps {
  scenarios: readonly { name: string; summary: string; steps: number }[]
  organizations: readonly string[]
}

/** The scenarios, each with a button that runs it. */
export function ScenariosPage({ scenarios, organizations }: ScenariosPageProps) {
  return (
    <Layout title="Scenarios" at={scenariosAddress}>
      <p>Each runs a whole case in a few seconds, through the public endpoints and controls.</p>
      <ul class="cards">
        {scenarios.map(({ name, summary, steps }) => (
          <li key={name}>
            <h2>{name}</h2>
            <p>{summary}</p>
            <p class="faint">{steps} steps</p>
            <PostForm action={scenariosAddress} label={name}>
              <input type="hidden" name="name" value={name} />
              {organizations.length > 1 && (
                <Choice name="organization" label="Organization" options={organizations} within={name} />
              )}
              <button type="submit" class="act" aria-label={`Run: ${name}`}>
                Run
              </button>
            </PostForm>
          </li>
        ))}
      </ul>
    </Layout>
  )
}

/** Result of a scenario's run: each step's changes, events and answers. */
export function RunPage({ run }: { run: Run }) {
  const { scenario, ok, faults, ids, ends, deliveries, steps } = run
  return (
    <Layout title={scenario} at={scenariosAddress}>
      <p class={ok ? 'note' : 'note bad'} role="status">
        {ok ? 'The scenario ended as expected.' : faults.join(' ')}
      </p>
      <Table
        caption="Steps"
        empty="No step ran."
        rows={steps.flatMap(rowsOf)}
        columns={[
          { name: 'Step', kind: 'wide', show: ({ step }) => step },
          {
            name: 'Case',
            show: ({ happened: { resource } = {} }) =>
              resource !== undefined && <a href={addressOfCase(ids[resource] ?? '')}>{resource}</a>,
          },
          {
            name: 'From, to',
            show: ({ fault, happened }) =>
              fault === undefined ? (
                happened?.change && <Change of={happened.of} {...happened.change} />
              ) : (
                <span class="bad">{fault}</span>
              ),
          },
          { name: 'Event', show: ({ happened }) => happened?.event && <EventName type={happened.event.type} /> },
          {
            name: 'Delivery and answer',
            show: ({ happened }) =>
              happened?.event && <Answers ids={happened.event.delivery_ids} deliveries={deliveries} />,
          },
        ]}
      />
      <Table
        caption="Cases at the end"
        empty="No cases were created."
        rows={Object.entries(ids)}
        columns={[
          { name: 'Name', show: ([name]) => name },
          { name: 'Case', kind: 'id', show: ([, id]) => <a href={addressOfCase(id)}>{id}</a> },
          { name: 'Status', show: ([name]) => ends[name] },
        ]}
      />
      <p>
        <a href={scenariosAddress}>Back to the scenarios</a>
      </p>
    </Layout>
  )
}

interface Row {
  /** Empty on further rows of a step. */
  step: string
  happened?: Happened
  fault?: string
}

/** A row for each change or event, and one more for a fault. */
function rowsOf({ number, does, happened, fault }: RunStep): Row[] {
  const rows: Row[] = happened.map((one) => ({ step: '', happened: one }))
  if (fault !== undefined || rows.length === 0) rows.push({ step: '', ...(fault !== undefined && { fault }) })
  return rows.map((row, index) => (index === 0 ? { ...row, step: `${number}. ${does}` } : row))
}

function Answers({ ids, deliveries }: { ids: readonly number[]; deliveries: readonly RunDelivery[] }) {
  if (ids.length === 0) return <span class="faint">no webhook</span>
  return (
    <>
      {ids.map((id, index) => (
        <>
          {index > 0 && ', '}
          <a href={addressOfDelivery(id)}>{id}</a>: {deliveries.find((one) => one.id === id)?.answer ?? 'none yet'}
        </>
      ))}
    </>
  )
}
