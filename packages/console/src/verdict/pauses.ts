import { duration } from '@pawl/base/pages/words'
import { heldAtStart, type Hold, type HoldName, workOf } from '@pawl/ledger/hot/holds'
import { hasKey } from '@pawl/ledger/hot/work-filter'
import { systemName } from '../causes.ts'
import type { Finding } from '../contract/status-verdict.ts'
import { fewFirst, totalOf } from '../failure-filter.ts'
import { addressOfHold, nameOfHold } from '../hold-names.ts'
import { allWork, isHeld } from '../holding.ts'
import { runbookSections } from '../runbook-sections.ts'
import type { Facts, HoldByPerson } from './facts.ts'
import { askService, casesWaitingFor, inSettings, reachTo, restart, sayWaits } from './phrases.ts'

export function pausing(target: HoldName, isPaused: boolean) {
  return { page: addressOfHold(target), act: `${isPaused ? 'Resume' : 'Pause'} ${nameOfHold(target)}` }
}

/** What a ledger that is a backup lacks, if its newest delivery tells. */
function sayMissing(start: Facts['heldStart']): string {
  return start?.newestAt === undefined ? '' : ` The last ${duration(start.at - start.newestAt)} may be missing.`
}

export function pausedWork(hold: HoldByPerson, facts: Facts): Finding {
  const { kind, name, since, reason, by } = hold
  const isAtStart = reason === heldAtStart
  const resume = { do: 'resume', kind, name, since } as const
  const waiting = waitingFor(hold, facts)
  const { newestAt } = (isAtStart && facts.heldStart) || {}
  const asking = newestAt === undefined ? {} : { reconcile: reachTo(newestAt, facts.now) }
  const what = kind === 'all' ? 'All work' : kind === 'system' ? systemName(name) : name
  return {
    tone: 'wait',
    what: `${what} has been paused`,
    since,
    why: isAtStart ? 'restored backup?' : [by, reason].filter(Boolean).join(': ') || undefined,
    effect: `${sayWaits(waiting)}${isAtStart ? sayMissing(facts.heldStart) : ''}`,
    todo: isAtStart ? 'Resume a few first.' : 'Reason gone?',
    note: isAtStart
      ? 'HOLD in the settings paused it. If a backup was restored, first erase again who was erased since. Look at the first few before you resume all; then ask the service.'
      : `Nothing is lost. ${by === undefined ? 'Who paused it' : by} knows whether the reason is gone.`,
    ...(isAtStart && { runbook: runbookSections.backup }),
    ...pausing(hold, true),
    isOptional: true,
    deeds: fewFirst(waiting, resume).map((deed) => ('limit' in deed ? deed : { ...deed, ...asking })),
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
  return {
    tone: 'warn',
    what: 'Deliveries may be missing',
    ...(newestAt !== undefined && { since: newestAt }),
    why: 'restored backup?',
    todo: 'Ask for them.',
    runbook: runbookSections.backup,
    ...askService(newestAt ?? at, now),
  }
}

const holdIsSet: Finding = {
  tone: 'warn',
  what: 'HOLD is still in the settings',
  todo: 'Take it out, then:',
  note: `Else the next start pauses all work again. ${inSettings}`,
  command: restart,
  runbook: runbookSections.backup,
}

function waitingFor(hold: Hold, facts: Facts): number {
  if (hold.kind === 'all') return facts.counts.waiting
  if (hold.kind === 'handler') return totalOf(facts.groups.filter((group) => hasKey(workOf(hold), group)))
  return casesWaitingFor(hold.name, facts)
}
