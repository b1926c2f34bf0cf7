import { Table } from '../../../base/pages/table.tsx'
import type { Run } from '../../scenarios/run-progress.ts'
import { addressOfCase } from '../cases/addresses.ts'
import { addressOfDelivery, EventName } from '../deliveries/delivery-table.tsx'
import { Choice, PostForm } from '../form.tsx'
import { Layout } from '../sandbox-layout.tsx'

/** Path of the scenarios page. */
export const scenariosAddress = '/_sandbox/pages/scenarios'

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

/** Result of a scenario's run. */
export function RunPage({ run }: { run: Run }) {
  const { scenario, ok, faults, ids, ends, deliveries } = run
  return (
    <Layout title={scenario} at={scenariosAddress}>
      <p class={ok ? 'note' : 'note bad'} role="status">
        {ok ? 'The scenario ended as expected.' : faults.join(' ')}
      </p>
      <Table
        caption="Cases"
        empty="No cases were created."
        rows={Object.entries(ids)}
        columns={[
          { name: 'Name', show: ([name]) => name },
          { name: 'Case', kind: 'id', show: ([, id]) => <a href={addressOfCase(id)}>{id}</a> },
          { name: 'Status', show: ([name]) => ends[name] },
        ]}
      />
      <Table
        caption="Deliveries, in order of sending"
        empty="No deliveries: the organization has no webhook."
        rows={deliveries}
        columns={[
          { name: 'Delivery', show: ({ id }) => <a href={addressOfDelivery(id)}>{id}</a> },
          { name: 'Event', show: ({ event_type }) => <EventName type={event_type} /> },
        ]}
      />
      <p>
        <a href={scenariosAddress}>Back to the scenarios</a>
      </p>
    </Layout>
  )
}
