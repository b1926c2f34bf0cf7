import { queryOf } from '@pawl/base/pages/query'
import { filterOf, totalOf } from '../failure-filter.ts'
import type { WorkQuery } from '../selected-work.ts'
import type { RetryJob } from '../retry-jobs.ts'
import { catalogue } from '../faults/catalogue.ts'
import { Layout } from './console-layout.tsx'
import { RetryForm } from './cause-actions.tsx'
import { Table } from '@pawl/base/pages/table'
import { Allowed, FormToken } from './viewer.tsx'
import { addressOfResource, countFailed } from './words.ts'
import { count, plural } from '@pawl/base/pages/words'
import type { Work } from '@pawl/ledger/views/read-work'
import type { WorkGroup } from '@pawl/ledger/views/work-groups'

interface DryRunPageProps {
  filter: WorkQuery
  groups: readonly WorkGroup[]
  first: readonly Work[]
}

/** Dry run of a retry. */
export function DryRunPage({ filter, groups, first }: DryRunPageProps) {
  const total = totalOf(groups)
  return (
    <Layout title="Dry run" at="/parked">
      <p>
        {countFailed(total)} {plural(total, 'piece')} of work in {count(groups.length)} {plural(groups.length, 'group')}{' '}
        would be retried now, with a fresh set of attempts. Nothing was changed.
      </p>
      <GroupTable groups={groups} />
      <RetryForm filter={filter} groups={groups} isConfirmed />
      <h2>{first.length < total ? `The first ${first.length}` : 'The work'}</h2>
      <ul>
        {first.map(({ resourceId, handler }) => (
          <li key={`${handler} ${resourceId}`}>
            <a href={addressOfResource(resourceId)}>
              <code>{resourceId}</code>
            </a>{' '}
            {handler}
          </li>
        ))}
      </ul>
      <p>
        <a href={`/parked${queryOf(filter)}`}>Back</a>
      </p>
    </Layout>
  )
}

interface ChangedPageProps {
  filter: WorkQuery
  shown: number
  now: number
}

/** The matching work changed since the form's page loaded: nothing is retried. */
export function ChangedPage({ filter, shown, now }: ChangedPageProps) {
  return (
    <Layout title="Nothing was retried" at="/parked">
      <p class="note warn" role="alert">
        The matching work changed since the page loaded: {countFailed(shown)} then, {countFailed(now)} now
        {shown === now && ', with other or newly failed work'}. Look at it again, then retry.
      </p>
      <p>
        <a class="button" href={`/parked${queryOf(filter)}`}>
          See what matches now
        </a>
      </p>
    </Layout>
  )
}

/** Progress of a group during a retry. */
export interface GroupProgress {
  group: WorkGroup
  /** Work that had failed when the retry began and is not due yet. */
  left: number
  /** Work failed since then, again or for the first time, and in the same state. */
  failedSince: number
}

/** Until then a trial has shown whether its work fails again, also where other work is always due. */
const trialMs = 10_000
/** The number of due resources may be so old. */
const freshMs = 2_000

interface JobPageProps {
  job: RetryJob
  progress: readonly GroupProgress[]
  /** Number of due resources, of other work as well; `undefined` during the first count. */
  due: number | undefined
  /** The filter of its work, and what a trial left alone of that. */
  rest: WorkQuery
  others: readonly WorkGroup[]
}

const words = {
  retry: {
    title: 'Retry',
    running: 'Retrying…',
    done: 'All of it was made due.',
    unit: 'made due',
    left: 'Still to be tried',
  },
  discard: {
    title: 'Discard',
    running: 'Discarding…',
    done: 'Done. Work in a run was left: look whether it is parked again.',
    unit: 'discarded',
    left: 'Left',
  },
} as const

const ends = {
  cancelled: 'Cancelled: the rest is unchanged.',
  failed: 'Stopped by a failure: the rest is unchanged.',
} as const

/** Progress of a retry or a discard; reloads itself until it ends. */
export function JobPage({ job, progress, due, rest, others }: JobPageProps) {
  const address = `/parked/jobs/${job.id}`
  const { title, unit, left: leftName, ...states } = { ...words[job.does], ...ends }
  const agoMs = performance.now() - (job.endedAt ?? Infinity)
  // What was retried needs a moment to fail again.
  const isSettled = job.endedAt !== undefined && agoMs > (due === 0 ? freshMs : trialMs)
  const isTried = job.does === 'retry' && job.state === 'done'
  const hasFailed = progress.some(({ failedSince }) => failedSince > 0)
  const hasWorked = isTried && isSettled && !hasFailed
  return (
    <Layout title={title} at="/parked">
      <div
        id="job"
        hx-get={address}
        hx-select="#job"
        hx-trigger={isSettled ? 'load delay:3s' : 'load delay:1s'}
        hx-swap="outerHTML"
      >
        <p role="status" class={hasFailed ? 'note bad' : undefined}>
          {hasWorked ? (
            `Tried ${count(job.retried)}: none failed again.`
          ) : (
            <>
              {isTried && job.isTrial ? sayTrial(job) : states[job.state]}{' '}
              {job.error && `(${job.error.code}: ${job.error.message})`} {isTried && sayOutcome(progress, due)}
            </>
          )}
        </p>
        {isSettled && !hasFailed && totalOf(others) > 0 && (
          <RetryForm filter={rest} groups={others} isConfirmed isRest />
        )}
        {hasWorked && !job.isTrial && (
          <div class="actions">
            <a class="button act" href="/">
              Overview
            </a>
          </div>
        )}
        <label for="retried">
          {count(job.retried)} of {countFailed(job.total)} {unit}
        </label>
        <progress id="retried" max={Math.max(job.total, job.retried, 1)} value={job.retried} />
        <Table
          caption="Groups"
          empty=""
          rows={progress}
          columns={[
            { name: 'Handler', show: ({ group }) => group.handler },
            { name: 'System', show: ({ group }) => group.system || '–' },
            {
              name: 'Error code',
              show: ({ group }) => <a href={`/parked${queryOf(filterOf(group))}`}>{group.errorCode}</a>,
            },
            { name: leftName, kind: 'number', show: ({ left }) => countFailed(left) },
            {
              name: 'Failed again',
              kind: 'number',
              show: ({ failedSince }) => <span class={failedSince > 0 ? 'bad' : ''}>{countFailed(failedSince)}</span>,
            },
          ]}
        />
        {hasFailed && (
          <div class="actions">
            <a class="button" href={`/parked${queryOf(rest)}`}>
              See what failed
            </a>
            <a href={`/runbook#${catalogue.parked.runbook}`}>What to do</a>
          </div>
        )}
        {job.state === 'running' && (
          <Allowed to="operate">
            <form method="post" action={`${address}/cancel`}>
              <FormToken />
              <button type="submit" id="cancel">
                Cancel
              </button>
            </form>
          </Allowed>
        )}
      </div>
      <p>
        <a href="/">Overview</a> · <a href="/parked">Failing and parked</a>
      </p>
    </Layout>
  )
}

function sayTrial({ retried }: RetryJob): string {
  return `The first ${count(retried)} were made due; the others are as they were.`
}

/** How the retried work fares: a reading of `due` may be a second old. */
function sayOutcome(progress: readonly GroupProgress[], due: number | undefined): string {
  const failed = progress.reduce((sum, { failedSince }) => sum + failedSince, 0)
  if (failed > 0) return `${countFailed(failed)} failed again: the cause is not fixed yet. Fix it, then retry.`
  return `Workers try it now${due === undefined ? '' : `: ${count(due)} ${plural(due, 'resource')} due, other work included`}. What fails again is counted below.`
}

function GroupTable({ groups }: { groups: readonly WorkGroup[] }) {
  return (
    <Table
      caption="Groups"
      empty=""
      rows={groups}
      columns={[
        { name: 'Handler', show: ({ handler }) => handler },
        { name: 'System', show: ({ system }) => system || '–' },
        { name: 'Error code', show: ({ errorCode }) => errorCode },
        { name: 'Resources', kind: 'number', show: (group) => countFailed(group.count) },
      ]}
    />
  )
}
