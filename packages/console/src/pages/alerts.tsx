import type { ShownAlert, ShownTarget } from '../alerts/alerts.ts'
import { type Cause, filterOfCause } from '../causes.ts'
import { sayFinding } from '../contract/status-verdict.ts'
import { CauseActions } from './cause-actions.tsx'
import { Layout } from './console-layout.tsx'
import { OlderLink } from '@pawl/base/pages/older-link'
import { type Column, Table } from '@pawl/base/pages/table'
import { addressOfResource } from './words.ts'
import { count, duration, When } from '@pawl/base/pages/words'

/** An alert, and the failed work that it tells of. */
type AlertWithCause = ShownAlert & { cause: Cause | undefined }

interface AlertsPageProps {
  open: readonly AlertWithCause[]
  handlerNames: readonly string[]
  targets: readonly ShownTarget[]
  /** Alerts that are over, the newest first. */
  history: readonly ShownAlert[]
  next: string | undefined
}

const what: Column<ShownAlert> = {
  name: 'What',
  kind: 'wide',
  show: ({ fault }) => <a href={fault.page ?? '/'}>{sayFinding(fault, String)}</a>,
}
const opened: Column<ShownAlert> = { name: 'Opened', show: ({ openedAt }) => <When at={openedAt} /> }

/** Open alerts, past alerts, and their targets. */
export function AlertsPage({ open, handlerNames, targets, history, next }: AlertsPageProps) {
  return (
    <Layout title="Alerts" at="/alerts">
      {open.length === 0 && <p class="note">No alert is open.</p>}
      {open.map((alert) => (
        <OpenAlert alert={alert} handlerNames={handlerNames} />
      ))}
      <AlertTargets targets={targets} />
      <Table
        caption="History"
        note="The newest first; alerts that are over are kept for 90 days"
        empty="No alert was resolved yet."
        rows={history}
        columns={[what, opened, { name: 'Resolved', show: ({ closedAt }) => <When at={closedAt} /> }]}
      />
      <OlderLink href={next} />
    </Layout>
  )
}

/** One open alert: what to do, the command, and its actions where it is about failed work. */
function OpenAlert({ alert, handlerNames }: { alert: AlertWithCause; handlerNames: readonly string[] }) {
  const { fault, openedAt, resourceId: id, cause } = alert
  const { page = '/', todo, note, command, runbook } = fault
  const said = sayFinding(fault, String)
  return (
    <section class="cause bad" aria-label={said}>
      <h2>
        <a href={page}>{said}</a>
      </h2>
      <p>
        Opened <When at={openedAt} />. {todo} {note} <a href={`/runbook#${runbook}`}>How</a>
        {id !== undefined && (
          <>
            {' '}
            One of them: <a href={addressOfResource(id)}>{id}</a>.
          </>
        )}
      </p>
      {command !== undefined && (
        <p>
          <code>{command}</code>
        </p>
      )}
      {cause !== undefined && (
        <CauseActions
          cause={cause}
          filter={filterOfCause(cause)}
          retriable={cause.groups.filter(({ handler }) => handlerNames.includes(handler))}
          isOnly={false}
        />
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
      empty=""
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
