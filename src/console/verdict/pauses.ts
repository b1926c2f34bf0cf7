import { heldAtStart, type Hold, workOf } from '../../ledger/hot/holds.ts'
import { hasKey } from '../../ledger/hot/work-filter.ts'
import { systemName } from '../causes.ts'
import type { Finding } from '../contract/status-verdict.ts'
import { totalOf } from '../failure-filter.ts'
import { addressOfHold, nameOfHold } from '../hold-names.ts'
import { allWork, isHeld } from '../holding.ts'
import { runbookSections } from '../runbook-sections.ts'
import type { Facts, HoldByPerson } from './facts.ts'
import { sayWaiting } from './phrases.ts'

export function pausing(target: Pick<Hold, 'kind' | 'name'>, isPaused: boolean) {
  return { page: addressOfHold(target), act: `${isPaused ? 'Resume' : 'Pause'} ${nameOfHold(target)}` }
}

export function pausedWork(hold: HoldByPerson, facts: Facts): Finding {
  const { kind, name, since, reason, by } = hold
  const isAtStart = reason === heldAtStart
  const what = kind === 'all' ? 'All work' : kind === 'system' ? systemName(name) : `The handler ${name}`
  return {
    tone: 'wait',
    what: `${what} has been paused`,
    since,
    ...(reason !== undefined && { why: isAtStart ? 'HOLD' : reason }),
    effect: sayWaiting(waitingFor(hold, facts)),
    todo: kind === 'all' ? 'Resume a few, then all.' : 'Resume it.',
    note: isAtStart
      ? 'Look at the few first. After a backup, ask the service then for all since it; and take HOLD out of the settings.'
      : `Once the reason is gone.${by === undefined ? '' : ` Paused by ${by}.`}`,
    ...(isAtStart && { runbook: runbookSections.backup }),
    ...pausing(hold, true),
    command: kind === 'all' ? 'pawl resume --all' : `pawl resume ${name} --kind ${kind}`,
  }
}

/** The setting that paused all work at the start, once that work is resumed. */
export function remainingHold({ isHoldSet = false, holds }: Facts): Finding[] {
  if (!isHoldSet || isHeld(holds, allWork)) return []
  return [
    {
      tone: 'warn',
      what: 'HOLD is still set',
      effect: 'The next start pauses all work again.',
      todo: 'Take HOLD out of the settings.',
      note: 'After a backup, ask the service for all since it first: cases that pawl has not heard of since are unknown to it.',
      runbook: runbookSections.backup,
    },
  ]
}

function waitingFor(hold: Hold, { groups, waitingCases, counts }: Facts): number {
  if (hold.kind === 'all') return counts.waiting
  if (hold.kind === 'handler') return totalOf(groups.filter((group) => hasKey(workOf(hold), group)))
  return waitingCases.find(({ system }) => system === hold.name)?.count ?? 0
}
