import { filterOf, queryOf, stampOf, totalOf } from '../failure-filter.ts'
import { noSystem } from '../contract/work-contract.ts'
import type { WorkQuery } from '../selected-work.ts'
import { Layout } from './console-layout.tsx'
import { Select } from '../../base/pages/select.tsx'
import { Table } from '../../base/pages/table.tsx'
import { Allowed, FormToken } from './viewer.tsx'
import { addressOfResource, countFailed } from './words.ts'
import { count, duration, Moment, plural } from '../../base/pages/words.tsx'
import type { Work } from '../../ledger/views/read-work.ts'
import type { WorkGroup } from '../../ledger/views/work-groups.ts'
import type { WorkState } from '../../ledger/views/work-filter.ts'

interface ParkedPageProps {
  filter: WorkQuery
  /** All groups: the choices of the filter. */
  all: readonly WorkGroup[]
  matching: readonly WorkGroup[]
  /** Retriable groups of `matching`: their handler exists. */
  retriable: readonly WorkGroup[]
  work: readonly Work[]
  /** The address of the next page of the work. */
  next: string | undefined
  now: number
}

/** Failed work by handler, system and error code, with a retry of all work that matches a filter. */
export function ParkedPage({ filter, all, matching, retriable, work, next, now }: ParkedPageProps) {
  const valuesOf = (of: (group: WorkGroup) => string) => [...new Set(all.map(of))].toSorted()
  const unknown = matching.filter((group) => !retriable.includes(group))
  return (
    <Layout title="Failing and parked" at="/parked">
      <p>
        Parked work is out of attempts and waits for you; failing work is retried automatically; waiting work resumes
        once its pause ends or its system is back. The handlers of one resource succeed and fail independently.
      </p>
      <form class="filter" method="get" action="/parked" aria-label="Filter">
        <Select
          name="state"
          label="State"
          value={filter.state}
          options={[
            ['parked', 'parked'],
            ['failing', 'failing'],
            ['waiting', 'waiting'],
          ]}
        />
        <Select name="handler" label="Handler" value={filter.handler} options={valuesOf(({ handler }) => handler)} />
        <Select
          name="system"
          label="System"
          value={filter.system}
          options={valuesOf(({ system }) => system).map((system) =>
            system === '' ? ([noSystem, 'none known'] as const) : system,
          )}
        />
        <Select name="error" label="Error code" value={filter.error} options={valuesOf((each) => each.errorCode)} />
        <button type="submit">Filter</button>
        <a href="/parked">All</a>
      </form>
      <Table
        caption={`Groups that match (${matching.length})`}
        empty={all.length === 0 ? 'Nothing has failed: all work is synced or on its way.' : 'Nothing matches.'}
        rows={matching}
        columns={[
          { name: 'State', show: ({ state }) => <State of={state} /> },
          { name: 'Handler', show: (group) => group.handler },
          { name: 'System', show: (group) => group.system || '–' },
          { name: 'Error code', show: (group) => <a href={`/parked${queryOf(filterOf(group))}`}>{group.errorCode}</a> },
          { name: 'Resources', kind: 'number', show: (group) => countFailed(group.count) },
          {
            name: 'Newest',
            kind: 'number',
            show: ({ newestAt }) => (newestAt === undefined ? '–' : `${duration(now - newestAt)} ago`),
          },
          { name: 'Newest message', kind: 'wide', show: (group) => group.message },
        ]}
      />
      {unknown.length > 0 && (
        <p class="note warn">
          {countFailed(totalOf(unknown))} {plural(totalOf(unknown), 'piece')} of work that match belong to{' '}
          {plural(unknown.length, 'a handler', 'handlers')} removed from the integration: they are not retried.
        </p>
      )}
      {retriable.length > 0 && <RetryForm filter={filter} groups={retriable} />}
      {matching.length > 0 && (
        <>
          <h2>Work that matches</h2>
          <Table
            caption="By group, the oldest failure first"
            empty="No more work."
            rows={work}
            columns={[
              {
                name: 'Resource',
                kind: 'id',
                show: ({ resourceId }) => <a href={addressOfResource(resourceId)}>{resourceId}</a>,
              },
              { name: 'State', show: ({ state }) => <State of={state} /> },
              { name: 'Handler', show: ({ handler }) => handler },
              { name: 'Error code', show: ({ errorCode }) => errorCode },
              { name: 'Attempts', kind: 'number', show: ({ attempts }) => count(attempts) },
              { name: 'Failed', show: ({ failedAt }) => <Moment at={failedAt} /> },
              { name: 'Next', show: ({ dueAt }) => <Moment at={dueAt} /> },
              { name: 'Message', kind: 'wide', show: ({ errorMessage }) => errorMessage },
            ]}
          />
          {next !== undefined && (
            <p>
              <a href={next}>More</a>
            </p>
          )}
        </>
      )}
    </Layout>
  )
}

/** Form that retries all matching work: it carries the filter, and the number and version of the groups shown. */
export function RetryForm({
  filter,
  groups,
  isConfirmed = false,
}: {
  filter: WorkQuery
  groups: readonly WorkGroup[]
  /** Whether a dry run was shown. */
  isConfirmed?: boolean
}) {
  const total = totalOf(groups)
  return (
    <Allowed to="operate">
      <form method="post" action="/parked/retry" aria-label="Retry">
        <FormToken />
        {Object.entries(filter).map(
          ([name, value]) => value !== undefined && <input key={name} type="hidden" name={name} value={value} />,
        )}
        <input type="hidden" name="count" value={total} />
        <input type="hidden" name="stamp" value={stampOf(groups)} />
        <p>
          <button type="submit" class="act" name="do" value="retry">
            Retry all {countFailed(total)} that match
          </button>{' '}
          {!isConfirmed && (
            <button type="submit" name="do" value="dry_run">
              Dry run
            </button>
          )}
        </p>
      </form>
    </Allowed>
  )
}

const tones = { parked: 'bad', failing: 'warn', waiting: undefined } as const

function State({ of: state }: { of: WorkState }) {
  return <span class={tones[state]}>{state}</span>
}
