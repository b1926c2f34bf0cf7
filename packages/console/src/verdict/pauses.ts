import { duration } from '@pawl/base/pages/words'
import { pausedAtStart, type Pause, workOf } from '@pawl/ledger/hot/pause'
import { hasKey } from '@pawl/ledger/hot/work-filter'
import type { Finding } from '../contract/status-verdict.ts'
import { totalOf } from '../filtered-work.ts'
import { faultOf } from '../faults/fault.ts'
import { pauseFacts } from '../faults/fault-of-alert.ts'
import { casesWaitingFor, sayWaiting } from '../faults/names.ts'
import { allWork, isPaused } from '../pausing.ts'
import type { Facts, PauseByPerson } from './facts.ts'
import { reachTo } from '../ranges.ts'
import { gapOfPausedStart, isReconciled } from './missed-cases.ts'
import { unreconciled } from './moments.ts'

/** The time missing from a restored ledger, if it has a newest delivery. */
function sayMissing(start: Facts['pausedStart']): string {
  return start?.newestAt === undefined ? '' : ` The last ${duration(start.at - start.newestAt)} may be missing.`
}

export function pausedWork(pause: PauseByPerson, facts: Facts): Finding {
  const { kind, name, since, reason, by } = pause
  const isAtStart = reason === pausedAtStart
  const waiting = waitingFor(pause, facts)
  const { newestAt } = (isAtStart && facts.pausedStart) || {}
  const asking = newestAt === undefined ? {} : { reconcile: reachTo(newestAt, facts.now) }
  const words = {
    ...pauseFacts(kind, name),
    waiting: `${sayWaiting(waiting)}${isAtStart ? sayMissing(facts.pausedStart) : ''}`,
    person: by,
  }
  const why = isAtStart ? 'restored backup?' : [by, reason].filter(Boolean).join(': ') || undefined
  return {
    ...faultOf(isAtStart ? 'paused_at_start' : 'paused', words, why),
    since,
    deeds: [{ do: 'resume', kind, name, since, ...asking }],
  }
}

/** Findings after a start that paused all work, once that work is resumed: reconcile the time missing from a backup, and remove the setting. */
export function afterPausedStart(facts: Facts): Finding[] {
  const { isStartPausedSet = false, pausedStart, pauses, now } = facts
  if (isPaused(pauses, allWork)) return []
  const isUnreconciled = gapOfPausedStart(facts).some((gap) => !isReconciled(gap, facts))
  return [
    ...(pausedStart !== undefined && isUnreconciled ? [askAfterStart(pausedStart, now)] : []),
    ...(isStartPausedSet ? [faultOf('start_paused_set')] : []),
  ]
}

function askAfterStart({ at, newestAt }: NonNullable<Facts['pausedStart']>, now: number): Finding {
  return {
    ...unreconciled('deliveries_missing', { from: newestAt ?? at, now }, {}, 'restored backup?'),
    ...(newestAt !== undefined && { since: newestAt }),
  }
}

function waitingFor(pause: Pause, facts: Facts): number {
  if (pause.kind === 'all') return facts.counts.waiting
  if (pause.kind === 'handler') return totalOf(facts.groups.filter((group) => hasKey(workOf(pause), group)))
  return casesWaitingFor(pause.name, facts.waitingCases)
}
