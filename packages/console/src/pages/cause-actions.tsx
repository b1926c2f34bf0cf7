import { absenceErrors } from '@pawl/ledger/hot/waiting-errors'
import type { Cause } from '../causes.ts'
import type { WorkFilter } from '../contract/filter.ts'
import { totalOf } from '../filtered-work.ts'
import { addressOfPause, nameOfTarget } from '../pause-names.ts'
import { catalogue } from '../faults/catalogue.ts'
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
}

function sectionOf({ state, errorCode }: Cause): string {
  if (state !== 'waiting') return catalogue.parked.runbook
  return catalogue[errorCode === absenceErrors.request ? 'request_refused' : 'away'].runbook
}

/** The actions on a cause: retry, probe, pause, discard, and the section of the runbook. */
export function CauseActions({ cause, filter, retriable, isOnly }: CauseActionsProps) {
  const { title, state, handler, system, errorCode, groups } = cause
  const target =
    system !== '' ? { kind: 'system' as const, name: system } : handler && { kind: 'handler' as const, name: handler }
  return (
    <>
      {retriable.length > 0 && (
        <RetryForms filter={filter} total={totalOf(retriable)} title={isOnly ? undefined : title} />
      )}
      <div class="actions">
        {Object.values<string>(absenceErrors).includes(errorCode) && <ProbeForm system={system} />}
        <Allowed to="operate">{target && <a href={addressOfPause(target)}>Pause {nameOfTarget(target)}</a>}</Allowed>
        <a href={`/runbook#${sectionOf(cause)}`}>What to do</a>
      </div>
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
