import { absenceErrors } from '@pawl/ledger/hot/waiting-errors'
import type { Cause } from '../causes.ts'
import { ReasonInput } from './reason-input.tsx'
import { stampOfGroups, totalOf, trialSize } from '../failure-filter.ts'
import { addressOfHold, nameOfHold } from '../hold-names.ts'
import { catalogue } from '../faults/catalogue.ts'
import type { WorkQuery } from '../selected-work.ts'
import { Allowed, FormToken } from './viewer.tsx'
import { countFailed } from './words.ts'
import { count, plural } from '@pawl/base/pages/words'
import type { WorkGroup } from '@pawl/ledger/views/work-groups'

/** The filter of a page as fields of a form. */
export function HiddenFilter({ filter }: { filter: WorkQuery }) {
  return (
    <>
      {Object.entries(filter).map(
        ([name, value]) => value !== undefined && <input key={name} type="hidden" name={name} value={value} />,
      )}
    </>
  )
}

interface RetryFormProps {
  filter: WorkQuery
  groups: readonly WorkGroup[]
  /** Whether a dry run was shown. */
  isConfirmed?: boolean
  /** The cause, where other work matches, too. */
  title?: string | undefined
  /** Whether it is what a trial left alone. */
  isRest?: boolean
}

/** Form that retries all matching work: it carries the filter, and the number and version of the groups shown. */
export function RetryForm({ filter, groups, isConfirmed = false, title, isRest = false }: RetryFormProps) {
  const total = totalOf(groups)
  const hasTrial = total > trialSize && !isRest
  return (
    <Allowed to="operate">
      <form method="post" action="/parked/retry" aria-label={title === undefined ? 'Retry' : `Retry: ${title}`}>
        <Shown filter={filter} groups={groups} />
        <div class="actions">
          {hasTrial && (
            <button type="submit" class="act" name="do" value="trial">
              Retry {trialSize} first
            </button>
          )}
          <button type="submit" class={hasTrial ? undefined : 'act'} name="do" value="retry">
            {sayRetry()}
          </button>
          {!isConfirmed && (
            <button type="submit" name="do" value="dry_run">
              Dry run
            </button>
          )}
        </div>
      </form>
    </Allowed>
  )

  function sayRetry(): string {
    if (isRest) return `Retry the other ${countFailed(total)}`
    return title === undefined && total > 1
      ? `Retry all ${countFailed(total)} that match`
      : `Retry ${countFailed(total)}`
  }
}

function Shown({ filter, groups }: { filter: WorkQuery; groups: readonly WorkGroup[] }) {
  return (
    <>
      <FormToken />
      <HiddenFilter filter={filter} />
      <input type="hidden" name="count" value={totalOf(groups)} />
      <input type="hidden" name="stamp" value={stampOfGroups(groups)} />
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
      Asked {nameOfHold({ kind: 'system', name: asked.asked })}:{' '}
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
          {from === undefined ? `Try ${nameOfHold({ kind: 'system', name: system })} now` : 'Try now'}
        </button>
      </form>
    </Allowed>
  )
}

interface CauseActionsProps {
  cause: Cause
  filter: WorkQuery
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
        <Allowed to="operate">{target && <a href={addressOfHold(target)}>Pause {nameOfHold(target)}</a>}</Allowed>
        <a href={`/runbook#${sectionOf(cause)}`}>What to do</a>
      </div>
      {state !== 'waiting' && (
        <Allowed to="operate">
          <details>
            <summary class="bad">Discard {countFailed(totalOf(groups))}</summary>
            <form method="post" action="/parked/discard" aria-label={`Discard: ${title}`}>
              <Shown filter={filter} groups={groups} />
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
