import type { ShownAlert, ShownTarget } from '../../alerts/alerts.ts'
import { Layout } from './console-layout.tsx'
import { type Column, Table } from '../../base/pages/table.tsx'
import { addressOfResource } from './words.ts'
import { count, duration, Moment } from '../../base/pages/words.tsx'

interface AlertsPageProps {
  open: readonly ShownAlert[]
  targets: readonly ShownTarget[]
  /** Alerts that are over, the newest first. */
  history: readonly ShownAlert[]
  next: string | undefined
}

const what: Column<ShownAlert> = {
  name: 'What',
  kind: 'wide',
  show: ({ title, page }) => <a href={page}>{title}</a>,
}
const opened: Column<ShownAlert> = { name: 'Opened', show: ({ openedAt }) => <Moment at={openedAt} /> }

/** Open alerts, past alerts, and their targets. */
export function AlertsPage({ open, targets, history, next }: AlertsPageProps) {
  return (
    <Layout title="Alerts" at="/alerts">
      <Table
        caption="Open"
        empty="No alert is open."
        rows={open}
        columns={[
          what,
          opened,
          {
            name: 'Resource',
            kind: 'id',
            show: ({ resourceId: id }) => (id === undefined ? '–' : <a href={addressOfResource(id)}>{id}</a>),
          },
          { name: 'What to do', kind: 'wide', show: ({ advice }) => advice },
          {
            name: 'Command',
            kind: 'wide',
            show: ({ command }) => (command === undefined ? '–' : <code>{command}</code>),
          },
        ]}
      />
      <h2>Targets</h2>
      <AlertTargets targets={targets} />
      <h2>History</h2>
      <Table
        caption="The newest first; alerts that are over are kept for 90 days"
        empty="No alerts."
        rows={history}
        columns={[what, opened, { name: 'Over', show: ({ closedAt }) => <Moment at={closedAt} /> }]}
      />
      {next !== undefined && (
        <p>
          <a href={next}>Older</a>
        </p>
      )}
    </Layout>
  )
}

/** State of the targets of alerts. */
export function AlertTargets({ targets }: { targets: readonly ShownTarget[] }) {
  return (
    <Table
      caption="Targets of alerts"
      empty="Alerts are sent nowhere: set ALERT_URL, ALERT_SLACK_URL or ALERT_EMAIL_TO."
      rows={targets}
      columns={[
        { name: 'Target', show: ({ name }) => name },
        { name: 'State', show: (target) => <TargetState {...target} /> },
        {
          name: 'Last message',
          show: ({ sentAgoMs }) => (sentAgoMs === undefined ? '–' : `${duration(sentAgoMs)} ago`),
        },
        { name: 'Not sent yet', kind: 'number', show: ({ waiting }) => count(waiting) },
      ]}
    />
  )
}

function TargetState({ isDead, failures, failingForMs = 0, errorCode }: ShownTarget) {
  if (failures === 0) return <span class="good">in use</span>
  const since = `${duration(failingForMs)}: ${errorCode ?? 'unexpected'}`
  return <span class="bad">{isDead ? `not accepting alerts for ${since}` : `failing, with retries, for ${since}`}</span>
}
