import { duration } from '../../base/pages/words.tsx'
import { heldAtStart, type Hold, type HoldName, workOf } from '../../ledger/hot/holds.ts'
import { hasKey } from '../../ledger/hot/work-filter.ts'
import { systemName } from '../causes.ts'
import type { Finding } from '../contract/status-verdict.ts'
import { fewFirst, totalOf } from '../failure-filter.ts'
import { addressOfHold, nameOfHold } from '../hold-names.ts'
import { allWork, isHeld } from '../holding.ts'
import { runbookSections } from '../runbook-sections.ts'
import type { Facts, HoldByPerson } from './facts.ts'
import { askService, casesWaitingFor, inSettings, restart, sayWaits } from './phrases.ts'

export function pausing(target: HoldName, isPaused: boolean) {
  return { page: addressOfHold(target), act: `${isPaused ? 'Resume' : 'Pause'} ${nameOfHold(target)}` }
}

/** Why a start paused all work, and how old the ledger was then. */
function sayAge(start: Facts['heldStart']): string {
  return start?.newestAt === undefined
    ? 'restored backup?'
    : `restored backup, ${duration(start.at - start.newestAt)} old?`
}

export function pausedWork(hold: HoldByPerson, facts: Facts): Finding {
  const { kind, name, since, reason, by } = hold
  const isAtStart = reason === heldAtStart
  const resume = { do: 'resume', kind, name, since } as const
  const waiting = waitingFor(hold, facts)
  const what = kind === 'all' ? 'All work' : kind === 'system' ? systemName(name) : name
  return {
    tone: 'wait',
    what: `${what} has been paused`,
    since,
    ...(isAtStart ? { why: sayAge(facts.heldStart) } : { why: [by, reason].filter(Boolean).join(': ') || undefined }),
    effect: sayWaits(waiting),
    todo: isAtStart ? 'Resume a few first.' : 'Reason gone?',
    note: isAtStart
      ? 'HOLD in the settings paused it. If a backup was restored, first erase again who was erased since. Look at the first few before you resume all; then ask the service, and take HOLD out.'
      : `Nothing is lost. ${by === undefined ? 'Who paused it' : by} knows whether the reason is gone.`,
    ...(isAtStart && { runbook: runbookSections.backup }),
    ...pausing(hold, true),
    isOptional: true,
    deeds: fewFirst(waiting, resume),
    command: kind === 'all' ? 'pawl resume --all --limit 10' : `pawl resume ${name} --kind ${kind}`,
  }
}

/** What is left to do after a start that paused all work, once that work is resumed: to ask for what a backup lacks, and to start without that setting. */
export function afterHeldStart({ isHoldSet = false, heldStart, holds, reconciled, now }: Facts): Finding[] {
  if (isHeld(holds, allWork)) return []
  const isUnasked = heldStart !== undefined && (reconciled === undefined || reconciled.at < heldStart.at)
  return [...(isUnasked ? [askAfterStart(heldStart, now)] : []), ...(isHoldSet ? [holdIsSet] : [])]
}

function askAfterStart({ at, newestAt }: NonNullable<Facts['heldStart']>, now: number): Finding {
  const missing = newestAt === undefined ? 'the time after it' : `the ${duration(at - newestAt)} before`
  return {
    tone: 'warn',
    what: 'All work was paused at a start',
    effect: `If a backup was restored, ${missing} ${newestAt === undefined ? 'is' : 'may be'} missing.`,
    todo: 'Ask for it.',
    runbook: runbookSections.backup,
    ...askService(newestAt ?? at, now),
  }
}

const holdIsSet: Finding = {
  tone: 'warn',
  what: 'HOLD is still set',
  effect: 'The next start pauses all work again.',
  todo: 'Take it out, then restart.',
  note: inSettings,
  command: restart,
  runbook: runbookSections.backup,
}

function waitingFor(hold: Hold, facts: Facts): number {
  if (hold.kind === 'all') return facts.counts.waiting
  if (hold.kind === 'handler') return totalOf(facts.groups.filter((group) => hasKey(workOf(hold), group)))
  return casesWaitingFor(hold.name, facts)
}
