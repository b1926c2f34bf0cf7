import { parkedLevel } from '../alerts/find-failed-work.ts'
import { queryOf } from '@pawl/base/pages/query'
import { hasKey } from '@pawl/ledger/hot/work-filter'
import type { WorkGroup } from '@pawl/ledger/views/work-group'
import { type Cause, causesOf, filterOfCause, isAbout, parkedFault } from '../causes.ts'
import type { Deed, Finding } from '../contract/status-verdict.ts'
import { fewFirst, selectedBy, totalOf } from '../filtered-work.ts'
import { faultOf } from '../faults/fault.ts'
import { inCases } from '../faults/names.ts'
import type { Facts } from './facts.ts'
import { earliest } from './moments.ts'

/** Parked work, once for each cause. */
export function parkedWork(facts: Facts): Finding[] {
  const causes = causesOf(facts.groups.filter(({ state }) => state === 'parked'))
  return causes.map((cause) => parkedCause(cause, retries(cause, facts)))
}

/** Retries to offer; none if the cause's filter also matches other work, or work of removed handlers. */
function retries(cause: Cause, { groups, handlerNames }: Facts): Deed[] {
  const filter = filterOfCause(cause)
  const matching = groups.filter((group) => hasKey(selectedBy(filter), group))
  const isOther = ({ handler }: WorkGroup) => handlerNames?.includes(handler) === false
  if (matching.length !== cause.groups.length || matching.some(isOther)) return []
  const retry = { do: 'retry', work: filter, count: totalOf(matching) } as const
  return fewFirst(retry.count, retry)
}

/** Failing work that has used at least half of its attempts. */
export function failingWork({ alerts, groups }: Facts): Finding[] {
  const causes = causesOf(groups)
  return alerts
    .filter((alert) => alert.kind.startsWith('work') && alert.level < parkedLevel)
    .filter((alert) => causes.some((cause) => isAbout(alert, cause)))
    .map(({ fault }) => fault)
}

/** Work that has failed for a while, of which no alert tells yet. */
export function retriedWork({ alerts, groups, now }: Facts): Finding[] {
  const failing = groups.filter(({ state, oldestAt = now }) => state === 'failing' && oldestAt < now - passingMs)
  return causesOf(failing)
    .filter((cause) => !alerts.some((alert) => isAbout(alert, cause)))
    .map((cause) => ({
      ...faultOf('retried', factsOf(cause), whyOf(cause)),
      since: earliest(cause.groups.flatMap(({ oldestAt }) => oldestAt ?? [])),
    }))
}

/** Most failures pass within this, in milliseconds. */
const passingMs = 60_000

/** What the catalogue's sentences on failed work name. */
function factsOf(cause: Cause) {
  const { system, handler, errorCode, groups } = cause
  const named = system !== '' || handler === undefined ? '' : `--handler ${handler} `
  return {
    cases: inCases(groups.reduce((sum, each) => sum + each.cases, 0)),
    query: queryOf(filterOfCause(cause)).slice(1),
    filter: `${named}--error ${errorCode}`,
  }
}

const whyOf = ({ title }: Cause) => title.replace(/^The /, 'the ')

function parkedCause(cause: Cause, retries: Deed[]): Finding {
  const { title, groups } = cause
  const said = sharedMessage(groups)
  const code = parkedFault(cause)
  // Only a person can mend what a system refuses.
  const deeds = code === 'resource_refused' ? [] : retries
  const facts = {
    ...factsOf(cause),
    handlers: [...new Set(groups.map((group) => group.handler))].join(', '),
    said: said?.replace(/\.?$/, '.'),
  }
  const why = code === 'bug' ? (said ?? title) : whyOf(cause)
  return {
    ...faultOf(code, facts, why),
    since: earliest(groups.flatMap(({ oldestAt }) => oldestAt ?? [])),
    ...(deeds.length > 0 && { deeds }),
    isOptional: deeds.length > 0,
  }
}

/** The message that all groups share, if it is short; messages never hold patient data. */
function sharedMessage(groups: Cause['groups']): string | undefined {
  const [message = '', ...others] = new Set(groups.map((group) => group.message))
  return others.length > 0 || message === '' || message.length > maxMessage ? undefined : message.replace(/\.$/, '')
}

/** Only the page of the work shows longer messages. */
const maxMessage = 100
