import { duration } from '@pawl/base/pages/words'
import { heldAtStart, type Hold, workOf } from '@pawl/ledger/hot/holds'
import { hasKey } from '@pawl/ledger/hot/work-filter'
import type { Finding } from '../contract/status-verdict.ts'
import { fewFirst, totalOf } from '../failure-filter.ts'
import { faultOf } from '../faults/fault.ts'
import { pauseFacts } from '../faults/fault-of-alert.ts'
import { sayWaiting } from '../faults/names.ts'
import { allWork, isHeld } from '../holding.ts'
import type { Facts, HoldByPerson } from './facts.ts'
import { casesWaitingFor, reachTo, unasked } from './moments.ts'

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
  const words = {
    ...pauseFacts(kind, name),
    waiting: `${sayWaiting(waiting)}${isAtStart ? sayMissing(facts.heldStart) : ''}`,
    person: by,
  }
  const why = isAtStart ? 'restored backup?' : [by, reason].filter(Boolean).join(': ') || undefined
  return {
    ...faultOf(isAtStart ? 'paused_at_start' : 'paused', words, why),
    since,
    deeds: fewFirst(waiting, resume).map((deed) => ('limit' in deed ? deed : { ...deed, ...asking })),
  }
}

/** What is left to do after a start that paused all work, once that work is resumed: to ask for what a backup lacks, and to start without that setting. */
export function afterHeldStart({ isHoldSet = false, heldStart, holds, reconciled, now }: Facts): Finding[] {
  if (isHeld(holds, allWork)) return []
  const isUnasked = heldStart !== undefined && (reconciled === undefined || reconciled.at < heldStart.at)
  return [...(isUnasked ? [askAfterStart(heldStart, now)] : []), ...(isHoldSet ? [faultOf('hold_set')] : [])]
}

function askAfterStart({ at, newestAt }: NonNullable<Facts['heldStart']>, now: number): Finding {
  return {
    ...unasked('deliveries_missing', { from: newestAt ?? at, now }, {}, 'restored backup?'),
    ...(newestAt !== undefined && { since: newestAt }),
  }
}

function waitingFor(hold: Hold, facts: Facts): number {
  if (hold.kind === 'all') return facts.counts.waiting
  if (hold.kind === 'handler') return totalOf(facts.groups.filter((group) => hasKey(workOf(hold), group)))
  return casesWaitingFor(hold.name, facts)
}
