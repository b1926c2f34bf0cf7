import { duration } from '@pawl/base/pages/words'
import { pausedAtStart, type Pause, type PauseTarget, workOf } from '@pawl/ledger/hot/pause'
import { hasKey } from '@pawl/ledger/hot/work-filter'
import { systemName } from '../causes.ts'
import type { Finding } from '../contract/status-verdict.ts'
import { totalOf } from '../filtered-work.ts'
import { addressOfPause, nameOfTarget } from '../pause-names.ts'
import { allWork, isPaused } from '../pausing.ts'
import { runbookSections } from '../runbook-sections.ts'
import type { Facts, PauseByPerson } from './facts.ts'
import { askService, casesWaitingFor, inSettings, reachTo, restart, sayWaits } from './phrases.ts'

export function pausing(target: PauseTarget, isPaused: boolean) {
  return { page: addressOfPause(target), act: `${isPaused ? 'Resume' : 'Pause'} ${nameOfTarget(target)}` }
}

/** What a ledger that is a backup lacks, if its newest delivery tells. */
function sayMissing(start: Facts['pausedStart']): string {
  return start?.newestAt === undefined ? '' : ` The last ${duration(start.at - start.newestAt)} may be missing.`
}

export function pausedWork(pause: PauseByPerson, facts: Facts): Finding {
  const { kind, name, since, reason, by } = pause
  const isAtStart = reason === pausedAtStart
  const waiting = waitingFor(pause, facts)
  const { newestAt } = (isAtStart && facts.pausedStart) || {}
  const asking = newestAt === undefined ? {} : { reconcile: reachTo(newestAt, facts.now) }
  const what = kind === 'all' ? 'All work' : kind === 'system' ? systemName(name) : name
  return {
    tone: 'wait',
    what: `${what} has been paused`,
    since,
    why: isAtStart ? 'restored backup?' : [by, reason].filter(Boolean).join(': ') || undefined,
    effect: `${sayWaits(waiting)}${isAtStart ? sayMissing(facts.pausedStart) : ''}`,
    todo: isAtStart ? 'Erased all again?' : 'Reason gone?',
    note: isAtStart
      ? 'START_PAUSED paused it. If a backup was restored, first erase again who was erased since; then resume, and ask the service.'
      : `Nothing is lost. ${by === undefined ? 'Who paused it' : by} knows whether the reason is gone.`,
    ...(isAtStart && { runbook: runbookSections.backup }),
    ...pausing(pause, true),
    isOptional: true,
    deeds: [{ do: 'resume', kind, name, since, ...asking }],
    command: kind === 'all' ? 'pawl resume --all' : `pawl resume ${name} --kind ${kind}`,
  }
}

/** What is left to do after a start that paused all work, once that work is resumed: to ask for what a backup lacks, and to start without that setting. */
export function afterPausedStart({ isStartPausedSet = false, pausedStart, pauses, reconciled, now }: Facts): Finding[] {
  if (isPaused(pauses, allWork)) return []
  const isUnasked = pausedStart !== undefined && (reconciled === undefined || reconciled.at < pausedStart.at)
  return [...(isUnasked ? [askAfterStart(pausedStart, now)] : []), ...(isStartPausedSet ? [startPausedIsSet] : [])]
}

function askAfterStart({ at, newestAt }: NonNullable<Facts['pausedStart']>, now: number): Finding {
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

const startPausedIsSet: Finding = {
  tone: 'warn',
  what: 'START_PAUSED is still in the settings',
  todo: 'Take it out, then:',
  note: `Else the next start pauses all work again. ${inSettings}`,
  command: restart,
  runbook: runbookSections.backup,
}

function waitingFor(pause: Pause, facts: Facts): number {
  if (pause.kind === 'all') return facts.counts.waiting
  if (pause.kind === 'handler') return totalOf(facts.groups.filter((group) => hasKey(workOf(pause), group)))
  return casesWaitingFor(pause.name, facts)
}
