import { absenceErrors } from '@pawl/ledger/hot/waiting-errors'
import type { Cause } from '../causes.ts'
import type { WorkFilter } from '../contract/filter.ts'
import { totalOf } from '../filtered-work.ts'
import { addressOfPause, nameOfTarget } from '../pause-names.ts'
import { ProbeForm, RetryForms } from './deeds.tsx'
import { PostForm, ReasonInput } from './forms.tsx'
import { Allowed } from './viewer.tsx'
import { countFailed } from './words.ts'
import type { WorkGroup } from '@pawl/ledger/views/work-group'

interface CauseActionsProps {
  cause: Cause
  filter: WorkFilter
  /** Groups whose handler exists. */
  retriable: readonly WorkGroup[]
  /** Whether all matching work has this cause. */
  isOnly: boolean
  /** The section of the runbook. */
  runbook: string
  /** Whether to retry is the next step: it does not help while a system is away or refuses. */
  isRetryMain: boolean
}

/** The actions on a cause: retry, probe, pause, discard, and the section of the runbook. */
export function CauseActions({ cause, filter, retriable, isOnly, runbook, isRetryMain }: CauseActionsProps) {
  const { title, state, handler, system, errorCode, groups } = cause
  const target =
    system !== '' ? { kind: 'system' as const, name: system } : handler && { kind: 'handler' as const, name: handler }
  const retry = retriable.length > 0 && (
    <RetryForms filter={filter} total={totalOf(retriable)} title={isOnly ? undefined : title} isMain={isRetryMain} />
  )
  return (
    <>
      {isRetryMain && retry}
      <div class="actions">
        <a class={isRetryMain ? undefined : 'button act'} href={`/runbook#${runbook}`}>
          What to do
        </a>
        {Object.values<string>(absenceErrors).includes(errorCode) && <ProbeForm system={system} />}
        <Allowed to="operate">{target && <a href={addressOfPause(target)}>Pause {nameOfTarget(target)}</a>}</Allowed>
      </div>
      {!isRetryMain && retry}
      {state !== 'waiting' && (
        <Allowed to="operate">
          <details>
            <summary class="bad">Discard {countFailed(totalOf(groups))}</summary>
            <PostForm
              action="/parked/discard"
              label={`Discard: ${title}`}
              fields={{ ...filter, up_to: Math.max(...groups.map(({ newest }) => newest)) }}
            >
              <p>Counts as done without a run, for work that will never succeed. Later events make it due as usual.</p>
              <div class="actions">
                <ReasonInput placeholder="Why; nothing about a patient" aria-label={`Why discard: ${title}`} />
                <button type="submit">Discard</button>
              </div>
            </PostForm>
          </details>
        </Allowed>
      )}
    </>
  )
}
