import type { ShownAlert } from '../alerts/alerts.ts'
import { parkedLevel } from '../alerts/find-failed-work.ts'
import { queryOf } from '@pawl/base/pages/query'
import { groupBy } from '@pawl/ledger/hot/group-by'
import { hasKey } from '@pawl/ledger/hot/work-filter'
import type { WorkGroup } from '@pawl/ledger/views/work-groups'
import { type Cause, causesOf, filterOfCause, isAbout } from '../causes.ts'
import type { Deed, Finding } from '../contract/status-verdict.ts'
import { fewFirst, selectedBy, totalOf } from '../filtered-work.ts'
import { countFailed } from '../pages/words.ts'
import { runbookSections } from '../runbook-sections.ts'
import type { Facts } from './facts.ts'
import { earliest, inCases } from './phrases.ts'

/** Parked work, once for each cause. */
export function parkedWork(facts: Facts): Finding[] {
  const causes = joinBugs(causesOf(facts.groups.filter(({ state }) => state === 'parked')))
  return causes.map((cause) => parkedCause(cause, retries(cause, facts), facts.alerts))
}

/** Retries that are offered at once: none where the filter of the cause also matches other work, or work of handlers that were removed. */
function retries(cause: Cause, { groups, handlerNames }: Facts): Deed[] {
  const filter = filterOfCause(cause)
  const matching = groups.filter((group) => hasKey(selectedBy(filter), group))
  const isOther = ({ handler }: WorkGroup) => handlerNames?.includes(handler) === false
  if (matching.length !== cause.groups.length || matching.some(isOther)) return []
  const retry = { do: 'retry', work: filter, count: totalOf(matching) } as const
  return fewFirst(retry.count, retry)
}

/** Work that has used up half of its attempts or more, and still fails; parked work is told from its groups. */
export function failingWork({ alerts, groups }: Facts): Finding[] {
  return alerts
    .filter((alert) => alert.kind.startsWith('work') && alert.level < parkedLevel && isStillFailing(alert))
    .map(({ title, advice, command, page, beganAt }) => ({
      tone: 'warn',
      // A handler's name stays as it is.
      what: title,
      since: beganAt,
      todo: 'See what fails.',
      note: advice,
      runbook: runbookSections.parked,
      page,
      act: 'See and retry',
      ...(command !== undefined && { command }),
    }))

  function isStillFailing(alert: ShownAlert): boolean {
    return causesOf(groups).some((cause) => isAbout(alert, cause))
  }
}

/** Codes that name no cause to people who do not know them. */
const parkedAdvice: Readonly<
  Record<
    string,
    { why: (title: string, handlers: string, message: string | undefined) => string; todo: string; note: string }
  >
> = {
  unexpected: {
    why: (_title, handlers, message) => message ?? `bug in ${handlers}?`,
    todo: 'Once fixed:',
    note: 'Whoever made them mends them and restarts pawl, or deploys the release before. What is new meanwhile is parked, too, after its last attempt.',
  },
  not_found_yet: {
    why: (title) => `${title}, it does not know them`,
    todo: 'Does the service know them now?',
    note: 'Discard them if it never will.',
  },
}

/** One cause for the handlers that fail at the same place. */
function joinBugs(causes: readonly Cause[]): Cause[] {
  const keyed = groupBy(causes, ({ system, errorCode, title, groups }) =>
    system === '' ? [errorCode, ...new Set(groups.map(({ message }) => message))].join('\n') : title,
  )
  return [...keyed.values()].flatMap((own) => {
    const [first] = own
    if (first === undefined || own.length === 1) return own
    return [
      {
        ...first,
        title: `${own.length} handlers: ${first.errorCode}`,
        handler: undefined,
        groups: own.flatMap(({ groups }) => groups),
      },
    ]
  })
}

function parkedCause(cause: Cause, deeds: Deed[], alerts: readonly ShownAlert[]): Finding {
  const { title, system, handler, errorCode, groups } = cause
  const total = totalOf(groups)
  const known = parkedAdvice[errorCode]
  const named = system !== '' || handler === undefined ? '' : `--handler ${handler} `
  const handlers = new Set(groups.map((group) => group.handler))
  const note = known === undefined ? sayMessage(cause) : [`In ${[...handlers].join(', ')}.`, known.note].join(' ')
  return {
    tone: 'bad',
    what: `${groups.length === 1 ? inCases(total) : inPieces(total)} parked`,
    since: earliest([
      ...groups.flatMap(({ oldestAt }) => oldestAt ?? []),
      // Work that was retried in vain failed a moment ago; its alert is as old as the fault.
      ...alerts
        .filter((alert) => groups.some((group) => isAbout(alert, { ...cause, groups: [group] })))
        .map(({ beganAt }) => beganAt),
    ]),
    why: known?.why(midSentence(title), sayHandlers(handlers), sharedMessage(groups)) ?? midSentence(title),
    effect: 'Nothing lost.',
    todo: known?.todo ?? 'Fix it, then:',
    ...(note !== undefined && { note }),
    runbook: runbookSections.parked,
    page: `/parked${queryOf(filterOfCause(cause))}`,
    act: 'See and retry',
    ...(deeds.length > 0 && { deeds, isOptional: true }),
    command: `pawl retry ${named}--error ${errorCode}`,
  }
}

/** A title within a sentence; the names of handlers stay as they are. */
function midSentence(title: string): string {
  return title.replace(/^The /, 'the ')
}

/** Several handlers may have parked the same case. */
function inPieces(count: number): string {
  return count === 1 ? '1 piece' : `${countFailed(count)} pieces`
}

function sayHandlers(handlers: ReadonlySet<string>): string {
  return handlers.size === 1 ? [...handlers].join('') : `${handlers.size} handlers`
}

/** The message of all of them, if it is short, such as an error and its line. */
function sharedMessage(groups: Cause['groups']): string | undefined {
  const [message = '', ...others] = new Set(groups.map((group) => group.message))
  const isShort = message !== '' && message.split(' ').length <= maxWordsOfError
  return others.length === 0 && isShort ? message.replace(/\.$/, '') : undefined
}

const maxWordsOfError = 4

/** What the system said, where the title has only a code and all of it failed alike; messages never hold patient data. */
function sayMessage({ title, errorCode, groups }: Cause): string | undefined {
  const [message = '', ...others] = new Set(groups.map((group) => group.message))
  if (others.length > 0 || message.length > maxMessage || !title.endsWith(errorCode) || errorCode in parkedAdvice)
    return undefined
  return message === '' ? undefined : message.replace(/\.?$/, '.')
}

/** Longer ones are left to the page of the work. */
const maxMessage = 100
