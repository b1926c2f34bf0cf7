import type { Amendment } from '@pawl/base/amendment'
import { type Cause, causesOf, filterOfCause, parkedFault } from '../causes.ts'
import { catalogue } from '../faults/catalogue.ts'
import { type KnownAbsence, waitingFault } from '../verdict/waiting-work.ts'
import { inPieces } from '../faults/names.ts'
import { queryOf } from '@pawl/base/pages/query'
import { noSystem, State as States, type WorkFilter } from '../contract/filter.ts'
import { saysSame } from '../contract/says-same.ts'
import { filterOf, totalOf } from '../filtered-work.ts'
import { AmendForm } from './amend-form.tsx'
import { CauseActions } from './cause-actions.tsx'
import { RetryForms } from './deeds.tsx'
import { FilterForm } from './forms.tsx'
import { resourceColumn } from './links.tsx'
import { Layout } from './console-layout.tsx'
import { OlderLink } from '@pawl/base/pages/older-link'
import { Pill } from '@pawl/base/pages/pill'
import { Select } from '@pawl/base/pages/select'
import { Table } from '@pawl/base/pages/table'
import { countFailed } from './words.ts'
import { count, plural, When } from '@pawl/base/pages/words'
import type { Work } from '@pawl/ledger/views/read-work'
import type { WorkGroup } from '@pawl/ledger/views/work-group'
import type { WorkState } from '@pawl/ledger/hot/work-filter'

interface ParkedPageProps {
  filter: WorkFilter
  /** All groups: the choices of the filter. */
  all: readonly WorkGroup[]
  matching: readonly WorkGroup[]
  /** Retriable groups of `matching`: their handler exists. */
  retriable: readonly WorkGroup[]
  work: readonly Work[]
  /** Of the one resource that the filter names, if its records can be written otherwise. */
  amendable: { resource: string; amendment: Amendment | undefined } | undefined
  /** The address of the next page of the work. */
  next: string | undefined
  /** Pieces of work that the previous form retried or discarded, and those left. */
  done: { retried?: number | undefined; discarded?: number | undefined; left?: number | undefined }
  /** The systems that work waits for. */
  absence: KnownAbsence
  now: number
}

/** Failed work by handler, system and error code, with a retry of all work that matches a filter. */
export function ParkedPage({
  filter,
  all,
  matching,
  retriable,
  work,
  amendable,
  next,
  done,
  absence,
  now,
}: ParkedPageProps) {
  const causes = causesOf(matching)
  const isRetryMain = matching.some(({ state }) => state !== 'waiting')
  // The retry of all work comes first if the filter names an error, as links of the verdict do.
  const retryAll = retriable.length > 0 && causes.length > 1 && (
    <RetryForms filter={filter} total={totalOf(retriable)} isMain={isRetryMain} />
  )
  const unknown = matching.filter((group) => !retriable.includes(group))
  return (
    <Layout title="Failing and parked" at="/parked">
      <p>{filter.state === undefined ? Object.values(meanings).join(' ') : meanings[filter.state]}</p>
      <Filter filter={filter} all={all} />
      {causes.length === 0 && done.retried === undefined && done.discarded === undefined && (
        <p class="faint">
          {all.length === 0 ? 'Nothing has failed: all work is synced or on its way.' : 'Nothing matches.'}
        </p>
      )}
      <DoneNote filter={filter} done={done} />
      {filter.error !== undefined && retryAll}
      {causes.map((cause) => (
        <CauseSection
          cause={cause}
          // A single cause takes the filter of the page.
          filter={causes.length === 1 ? filter : { ...filterOfCause(cause), resource: filter.resource }}
          retriable={cause.groups.filter((group) => retriable.includes(group))}
          isOnly={causes.length === 1}
          absence={absence}
          now={now}
        />
      ))}
      {amendable && <AmendForm {...amendable} />}
      {unknown.length > 0 && (
        <p class="note warn">
          {countFailed(totalOf(unknown))} {plural(totalOf(unknown), 'piece')} of work that match belong to{' '}
          {plural(unknown.length, 'a handler', 'handlers')} removed from the integration: they are not retried.
        </p>
      )}
      {filter.error === undefined && retryAll}
      {matching.length > 0 && (
        <>
          <Table
            caption="Work that matches"
            note="By group, the oldest failure first"
            empty="No more work."
            rows={work}
            columns={[
              { ...resourceColumn, isBrief: true },
              { name: 'State', isBrief: true, show: ({ state }) => <Pill tone={tones[state]}>{state}</Pill> },
              { name: 'Handler', isBrief: 'below', show: ({ handler }) => handler },
              { name: 'Error code', show: ({ errorCode }) => errorCode },
              { name: 'Attempts', kind: 'number', show: ({ attempts }) => count(attempts) },
              { name: 'Failed', isBrief: true, show: ({ failedAt }) => <When at={failedAt} now={now} /> },
              { name: 'Next', show: ({ dueAt }) => <When at={dueAt} now={now} /> },
              // The section of a cause shows the newest message of its groups already.
              ...(work.some((each) => ownMessage(each, causes) !== undefined)
                ? [{ name: 'Another message', kind: 'wide' as const, show: (each: Work) => ownMessage(each, causes) }]
                : []),
            ]}
          />
          <OlderLink href={next} label="More" />
        </>
      )}
    </Layout>
  )
}

/** The message of a piece of work; undefined if the section of its cause shows it. */
function ownMessage(work: Work, causes: readonly Cause[]): string | undefined {
  const isShown = causes.some(({ groups }) =>
    groups.some(
      ({ message, state, handler, system, errorCode }) =>
        state === work.state &&
        handler === work.handler &&
        system === work.system &&
        errorCode === work.errorCode &&
        saysSame(work, message),
    ),
  )
  return isShown ? undefined : work.errorMessage
}

/** Meanings of the states, a sentence each. */
const meanings: Readonly<Record<WorkState, string>> = {
  parked: 'Parked work is not retried automatically any more: it waits for you.',
  failing: 'Failing work is retried automatically.',
  waiting: 'Waiting work resumes once its pause ends or its system is back.',
}

/** The filter; closed if it is set, so that the matching work comes first on a phone. */
function Filter({ filter, all }: Pick<ParkedPageProps, 'filter' | 'all'>) {
  const valuesOf = (of: (group: WorkGroup) => string) => [...new Set(all.map(of))].toSorted()
  const { state, handler, system, error, resource } = filter
  const shown = [state, handler, system === noSystem ? undefined : system, error, resource].filter(
    (value) => value !== undefined,
  )
  return (
    <details open={Object.values(filter).every((value) => value === undefined)}>
      <summary>{shown.length === 0 ? 'Filter' : `Filter: ${shown.join(', ')}`}</summary>
      <FilterForm action="/parked" fields={{ resource }}>
        <Select name="state" label="State" value={filter.state} options={States.options} />
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
      </FilterForm>
    </details>
  )
}

const tones = { parked: 'bad', failing: 'warn', waiting: 'wait' } as const

interface CauseSectionProps {
  cause: Cause
  filter: WorkFilter
  retriable: readonly WorkGroup[]
  /** Whether all matching work has this cause. */
  isOnly: boolean
  absence: KnownAbsence
  now: number
}

/** One cause, with its handlers and actions. */
function CauseSection({ cause, filter, retriable, isOnly, absence, now }: CauseSectionProps) {
  const { state, groups } = cause
  const waits = state === 'waiting' ? waitingFault(cause, absence) : undefined
  const { title } = waits ?? cause
  const code = parkedFault(cause)
  const total = totalOf(groups)
  const [newest] = groups.toSorted((a, b) => (b.newestAt ?? 0) - (a.newestAt ?? 0))
  return (
    <section class={`cause ${waits?.severity === 'bad' ? 'bad' : tones[state]}`} aria-label={title}>
      <h2>
        {title} <Pill tone={tones[state]}>{`${inPieces(total)} ${state}`}</Pill>
      </h2>
      <p>{waits?.todo ?? newest?.message}</p>
      <CauseActions
        cause={{ ...cause, title }}
        filter={filter}
        retriable={retriable}
        isOnly={isOnly}
        runbook={waits?.runbook ?? catalogue[code].runbook}
        isRetryMain={waits === undefined && code !== 'resource_refused'}
      />
      <Table
        caption="Handlers"
        rows={groups}
        columns={[
          {
            name: 'Handler',
            isBrief: true,
            show: (group) => <a href={`/parked${queryOf(filterOf(group))}`}>{group.handler}</a>,
          },
          { name: 'Resources', kind: 'number', isBrief: true, show: (group) => countFailed(group.count) },
          { name: 'Newest', isBrief: true, show: ({ newestAt }) => <When at={newestAt} now={now} /> },
          // The section shows the newest message already.
          ...(groups.some(({ message }) => message !== newest?.message)
            ? [{ name: 'Newest message', kind: 'wide' as const, show: (group: WorkGroup) => group.message }]
            : []),
        ]}
      />
    </section>
  )
}

/** The result of the previous form. */
function DoneNote({ filter: { resource, handler }, done: { retried, discarded, left = 0 } }: DoneNoteProps) {
  if (retried === undefined && discarded === undefined) return null
  return (
    <p class="note" role="status">
      {retried !== undefined && (
        <>
          {count(retried)} made due now, {countFailed(left)} left.{' '}
          <a href={`/runs${queryOf({ resource, handler })}`}>How they fare</a>
        </>
      )}
      {discarded !== undefined && `${count(discarded)} discarded, ${count(left)} left as a worker runs them.`}
    </p>
  )
}

type DoneNoteProps = Pick<ParkedPageProps, 'filter' | 'done'>
