import { Clock, count, plural } from '@pawl/base/pages/words'
import type { PollCounts } from '@pawl/ledger/hot/polls'
import { resourceNameForm } from 'pawl-client/events/resource-name'
import { queryOf } from '@pawl/base/pages/query'
import type { Finding } from '../contract/status-verdict.ts'
import { type Reach, reaches } from '../ranges.ts'
import { Layout } from './console-layout.tsx'
import { DeedForm } from './deeds.tsx'
import { PostForm, refreshing } from './forms.tsx'
import { Allowed, FormToken } from './viewer.tsx'

interface AskPageProps {
  /** Resources of the reconcile that a form just started. */
  total: number | undefined
  /** Resources that a form just named. */
  synced: number | undefined
  /** Resources left unread by the cancel that a form just sent. */
  cancelled: number | undefined
  /** How far back the linking page proposes to reconcile. */
  since: Reach | undefined
  /** The verdict's finding about missed cases, if any. */
  missing: Finding | undefined
  counts: PollCounts
}

/** The page that reads from the service again, with its progress. */
export function AskPage({ total, synced, cancelled, since, missing, counts }: AskPageProps) {
  // A person who came for missing cases needs nothing else.
  const isNext = total !== undefined || missing !== undefined
  const byId = <ById {...{ isNext, missing, total }} />
  return (
    <Layout title="Ask the service" at="/ask">
      {!isNext && synced === undefined && (
        <p>pawl reads resources again, within the rate limits, and brings every system up to date. It never hurts.</p>
      )}
      {synced !== undefined && <Named synced={synced} />}
      {cancelled !== undefined && (
        <p class="note" role="status">
          Reconcile cancelled: {count(cancelled)} {plural(cancelled, 'resource')} not read yet{' '}
          {plural(cancelled, 'is', 'are')} polled at {plural(cancelled, 'its', 'their')} own time.
        </p>
      )}
      {/* The person's task comes before pawl's progress. */}
      {isNext && <Allowed to="operate">{byId}</Allowed>}
      <Progress total={total} synced={synced} counts={counts} />
      <Allowed to="operate">
        {isNext ? (
          <details>
            <summary>Ask again</summary>
            <ByTime since={since} isNext={false} />
          </details>
        ) : (
          <>
            <ByTime since={since} isNext />
            {byId}
          </>
        )}
      </Allowed>
    </Layout>
  )
}

/** The resources that a form just named. */
function Named({ synced }: { synced: number }) {
  return (
    <div class="note" role="status">
      <p>
        {count(synced)} {plural(synced, 'case is', 'cases are')} being read. Was that all that was new?
      </p>
      <Allowed to="operate">
        <DeedForm deed={{ do: 'none_missing', isRest: true }} isMain />
      </Allowed>
      <a href="/">Overview</a>
    </div>
  )
}

/** Reconciles all resources that may have changed. `isNext`: the likely next step. */
function ByTime({ since, isNext }: Pick<AskPageProps, 'since'> & { isNext: boolean }) {
  return (
    <>
      <h2>Reconcile: all that may have changed</h2>
      <p class="faint">
        Of the cases that pawl knows. A case that was new while deliveries were not accepted comes with its next
        webhook, or by its id.
      </p>
      <form class="filter" method="post" action="/ask/reconcile" aria-label="Reconcile">
        <FormToken />
        <div>
          <label for="since">Since</label>
          <select id="since" name="since">
            {reaches.map((name) => (
              <option key={name} value={name} selected={name === since}>
                {name} ago
              </option>
            ))}
          </select>
        </div>
        <button type="submit" class={isNext ? 'act' : undefined}>
          Read what changed
        </button>
      </form>
    </>
  )
}

/** Reads resources by their ids. `isNext`: the resources that no reconcile brings. */
function ById({ isNext, missing, total }: Pick<AskPageProps, 'missing' | 'total'> & { isNext: boolean }) {
  const some = (
    <button type="submit" form="sync">
      Read these{isNext && ', others follow'}
    </button>
  )
  return (
    <>
      {!isNext && (
        <>
          <h2>Sync: by id</h2>
          <p class="faint">One that pawl does not know: {resourceNameForm}</p>
        </>
      )}
      <PostForm id="sync" action="/ask/sync" label="Sync" fields={{ reconciling: total }}>
        <label for="resources">
          {isNext ? 'Ids of cases that were new ' : 'Ids, each on a line'}
          {isNext &&
            (missing?.since === undefined ? (
              'meanwhile'
            ) : (
              <>
                since <Clock at={missing.since} />
              </>
            ))}
          {isNext && ', from the people who asked for them'}
        </label>
        <textarea id="resources" name="resources" rows={4} required spellcheck={false} autocomplete="off" />
        <div class="actions">
          {!isNext && some}
          {isNext && (
            <button type="submit" class="act" name="rest" value="none">
              Read these, that is all
            </button>
          )}
          {isNext && (
            <button type="submit" formAction="/ask/none" formNoValidate>
              None is missing
            </button>
          )}
        </div>
      </PostForm>
      {isNext && (
        <details>
          <summary>More</summary>
          <p>
            pawl does not know them. {resourceNameForm}, each on a line. {missing?.note}{' '}
            {missing?.command !== undefined && <code>{missing.command}</code>}
          </p>
          <p>{some}</p>
        </details>
      )}
    </>
  )
}

/** Progress of the reading, updated until no resource is left. */
function Progress({ total, synced, counts }: Pick<AskPageProps, 'total' | 'synced' | 'counts'>) {
  const { reconciling, unreadable, reconcileCancelled } = counts
  const isOver = reconciling === 0
  return (
    <div
      {...(isOver
        ? { id: 'asking' }
        : refreshing('asking', `/ask${queryOf({ reconciling: total?.toString() })}`, 'load delay:2s'))}
    >
      {total !== undefined && !reconcileCancelled && (
        <>
          <label for="asked">
            {count(Math.max(0, total - reconciling - unreadable))} of {count(total)} known cases read
          </label>
          <progress id="asked" max={Math.max(1, total)} value={Math.max(0, total - reconciling - unreadable)} />
        </>
      )}
      <p role="status">
        {!isOver && total === undefined && `${count(reconciling)} left to read.`}{' '}
        {isOver && synced === undefined && total === undefined && 'Nothing is left to read.'}{' '}
        {reconcileCancelled && 'The last reconcile was cancelled.'}{' '}
        {unreadable > 0 && `${count(unreadable)} could not be read, and are retried; the log has the errors.`}
      </p>
      {!isOver && (
        <Allowed to="operate">
          <PostForm action="/ask/cancel" label="Cancel">
            <button type="submit">Cancel</button>
          </PostForm>
        </Allowed>
      )}
    </div>
  )
}
