import type { ShownAlert, ShownTarget } from '../alerts/alerts.ts'
import { Layout } from './console-layout.tsx'
import { OlderLink } from '@pawl/base/pages/older-link'
import { type Column, Table } from '@pawl/base/pages/table'
import { FaultLink, ResourceLink } from './links.tsx'
import { ago, count, duration, When } from '@pawl/base/pages/words'

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
  isBrief: 'below',
  show: ({ fault }) => <FaultLink fault={fault} />,
}
const opened: Column<ShownAlert> = { name: 'Opened', isBrief: true, show: ({ openedAt }) => <When at={openedAt} /> }

/** Open alerts, past alerts, and their targets. */
export function AlertsPage({ open, targets, history, next }: AlertsPageProps) {
  return (
    <Layout title="Alerts" at="/alerts">
      {open.length === 0 && <p class="note">No alert is open.</p>}
      {open.map((alert) => (
        <OpenAlert alert={alert} />
      ))}
      <AlertTargets targets={targets} />
      <Table
        caption="History"
        note="The newest first; closed alerts are kept for 90 days"
        rows={history}
        columns={[what, opened, { name: 'Resolved', show: ({ closedAt }) => <When at={closedAt} /> }]}
      />
      <OlderLink href={next} />
    </Layout>
  )
}

/** One open alert: the remedy, the page that helps, and the command. */
function OpenAlert({ alert }: { alert: ShownAlert }) {
  const { fault, openedAt, resourceId: id } = alert
  const { severity, todo, note, command, runbook, page, act } = fault
  return (
    <section class={`cause ${severity}`} aria-label={fault.title}>
      <h2>
        <FaultLink fault={fault} />
      </h2>
      <p>
        Opened <When at={openedAt} />. {todo} {note} {page !== undefined && <a href={page}>{act}</a>}{' '}
        <a href={`/runbook#${runbook}`}>How</a>
        {id !== undefined && (
          <>
            {' '}
            One of them: <ResourceLink id={id} />.
          </>
        )}
      </p>
      {command !== undefined && (
        <p>
          <code>{command}</code>
        </p>
      )}
    </section>
  )
}

/** State of the targets of alerts. */
export function AlertTargets({ targets }: { targets: readonly ShownTarget[] }) {
  if (targets.length === 0) return <p class="note warn">Alerts are sent nowhere: set ALERT_URL or ALERT_EMAIL_TO.</p>
  return (
    <Table
      caption="Targets of alerts"
      rows={targets}
      columns={[
        { name: 'Target', isBrief: true, show: ({ name }) => name },
        { name: 'State', isBrief: true, show: (target) => <TargetState {...target} /> },
        {
          name: 'Last message',
          show: ({ sentAgoMs }) => (sentAgoMs === undefined ? '–' : ago(sentAgoMs)),
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
