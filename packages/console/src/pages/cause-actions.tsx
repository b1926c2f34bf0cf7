import { absenceErrors } from '@pawl/ledger/hot/waiting-errors'
import type { Cause } from '../causes.ts'
import { ReasonInput } from './reason-input.tsx'
import type { WorkFilter } from '../contract/filter.ts'
import { fewFirst, totalOf } from '../filtered-work.ts'
import { addressOfPause, nameOfTarget } from '../pause-names.ts'
import { catalogue } from '../faults/catalogue.ts'
import { Allowed, FormToken } from './viewer.tsx'
import { countFailed } from './words.ts'
import { count, plural } from '@pawl/base/pages/words'
import type { WorkGroup } from '@pawl/ledger/views/work-groups'

interface RetryFormProps {
  filter: WorkFilter
  groups: readonly WorkGroup[]
  /** The cause, where other work matches, too. */
  title?: string | undefined
}

/** Retries the matching work, all of it or the first. */
export function RetryForm({ filter, groups, title }: RetryFormProps) {
  const total = totalOf(groups)
  const all = title === undefined && total > 1 ? `all ${countFailed(total)} that match` : countFailed(total)
  return (
    <Allowed to="operate">
      <form method="post" action="/parked/retry" aria-label={title === undefined ? 'Retry' : `Retry: ${title}`}>
        <FormToken />
        <HiddenFilter filter={filter} />
        <div class="actions">
          {fewFirst<{ limit?: number }>(total, {}).map(({ limit }, at) => (
            <button type="submit" class={at === 0 ? 'act' : undefined} name="limit" value={limit ?? ''}>
              Retry {limit === undefined ? all : `${limit} first`}
            </button>
          ))}
        </div>
      </form>
    </Allowed>
  )
}

/** The filter of a page as fields of a form. */
function HiddenFilter({ filter }: { filter: WorkFilter }) {
  return (
    <>
      {Object.entries(filter).map(
        ([name, value]) => value !== undefined && <input key={name} type="hidden" name={name} value={value} />,
      )}
    </>
  )
}

/** A system that was asked just before, and how many resources that wait for it try it. */
export interface Asked {
  asked: string
  resources: number
}

export function AskedNote({ asked }: { asked: Asked | undefined }) {
  if (asked === undefined) return null
  const { resources } = asked
  return (
    <p class="note" role="status">
      Asked {nameOfTarget({ kind: 'system', name: asked.asked })}:{' '}
      {resources === 0
        ? 'nothing waits for it; the next work asks it.'
        : `${count(resources)} ${plural(resources, 'case')} ${plural(resources, 'tries', 'try')} it now, then the others.`}
    </p>
  )
}

/** Asks a system that is away now; `from`: the page that shows what came of it, where this is the main action. */
export function ProbeForm({ system, from }: { system: string; from?: '/' }) {
  return (
    <Allowed to="operate">
      <form class="inline" method="post" action="/handlers/probe" aria-label={`Try ${system}`}>
        <FormToken />
        <input type="hidden" name="system" value={system} />
        {from !== undefined && <input type="hidden" name="from" value={from} />}
        <button type="submit" class={from === undefined ? undefined : 'act'}>
          {from === undefined ? `Try ${nameOfTarget({ kind: 'system', name: system })} now` : 'Try now'}
        </button>
      </form>
    </Allowed>
  )
}

interface CauseActionsProps {
  cause: Cause
  filter: WorkFilter
  /** Groups whose handler exists. */
  retriable: readonly WorkGroup[]
  /** Whether nothing else matches. */
  isOnly: boolean
}

function sectionOf({ state, errorCode }: Cause): string {
  if (state !== 'waiting') return catalogue.parked.runbook
  return catalogue[errorCode === absenceErrors.request ? 'request_refused' : 'away'].runbook
}

/** What can be done about a cause: retry, pause, discard, and the section of the runbook. */
export function CauseActions({ cause, filter, retriable, isOnly }: CauseActionsProps) {
  const { title, state, handler, system, errorCode, groups } = cause
  const target =
    system !== '' ? { kind: 'system' as const, name: system } : handler && { kind: 'handler' as const, name: handler }
  return (
    <>
      {retriable.length > 0 && <RetryForm filter={filter} groups={retriable} title={isOnly ? undefined : title} />}
      <div class="actions">
        {Object.values<string>(absenceErrors).includes(errorCode) && <ProbeForm system={system} />}
        <Allowed to="operate">{target && <a href={addressOfPause(target)}>Pause {nameOfTarget(target)}</a>}</Allowed>
        <a href={`/runbook#${sectionOf(cause)}`}>What to do</a>
      </div>
      {state !== 'waiting' && (
        <Allowed to="operate">
          <details>
            <summary class="bad">Discard {countFailed(totalOf(groups))}</summary>
            <form method="post" action="/parked/discard" aria-label={`Discard: ${title}`}>
              <FormToken />
              <HiddenFilter filter={filter} />
              <input type="hidden" name="up_to" value={Math.max(...groups.map(({ newest }) => newest))} />
              <p>Counts as done without a run, for work that will never succeed. Later events make it due as usual.</p>
              <div class="actions">
                <ReasonInput placeholder="Why; nothing about a patient" aria-label={`Why discard: ${title}`} />
                <button type="submit">Discard</button>
              </div>
            </form>
          </details>
        </Allowed>
      )}
    </>
  )
}
