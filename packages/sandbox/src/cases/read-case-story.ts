import type { Progress, Row } from '../platform/machine.ts'
import { compact } from '../platform/wire.ts'
import type { PriorAuthorizationRecord } from '../prior-authorization/record.ts'
import { ruleAgainst } from '../prior-authorization/rule-against.ts'
import type { LoggedEntry } from '../webhooks/event-log.ts'
import type { EmittedEvent } from '../webhooks/webhooks.ts'
import type { CaseRecord } from './read-cases.ts'

/** The case itself, and the parts of a PA with tables of their own. */
export const caseParts = ['case', 'transfer', 'benefits_check'] as const
export type CasePart = (typeof caseParts)[number]

/** A change of status with its event, or an event alone. */
export interface StoryEntry {
  /** Sandbox time, ms since 1970. */
  at: number
  of: CasePart
  /** `from` is null at the beginning. */
  change?: { from: string | null; to: string }
  event?: Pick<EmittedEvent, 'type' | 'deliveryIds'>
}

/** The record of a PA; undefined for another kind. */
export function asPriorAuthorization(record: CaseRecord): PriorAuthorizationRecord | undefined {
  // Each kind has one type of record.
  return record.kind === 'prior_authorization' ? (record as unknown as PriorAuthorizationRecord) : undefined
}

/** The rule of the interface that forbids a case this move; undefined if it is allowed. */
export function ruleAgainstCase(record: CaseRecord, row: Row<string, string>): string | undefined {
  const script = asPriorAuthorization(record)?.script
  return script === undefined ? undefined : ruleAgainst(script, row)
}

/** Progress of a case and of its parts. */
export function partsOf(record: CaseRecord): Partial<Record<CasePart, Progress>> {
  const { transfer, benefitsCheck } = asPriorAuthorization(record) ?? {}
  return {
    case: record.progress,
    ...(transfer !== undefined && { transfer }),
    ...(benefitsCheck !== undefined && { benefits_check: benefitsCheck }),
  }
}

/** The story of a case, oldest first. The log gives the order while it has the entries; before that, the case precedes its parts. */
export function readStory(record: CaseRecord, log: readonly LoggedEntry[]): StoryEntry[] {
  const visits = Object.entries(partsOf(record))
    // The compiler types keys as strings.
    .flatMap(([of, progress]) => visitsOf(of as CasePart, progress))
  const loggedOf = (of: CasePart) =>
    log.filter((entry) => 'machine' in entry && partOfMachine(entry.machine) === of).length
  const isLogged = ({ of, back }: Visit) => back <= loggedOf(of)
  const story: StoryEntry[] = visits.filter((visit) => !isLogged(visit)).toSorted((one, other) => one.at - other.at)
  const newer = visits.filter(isLogged)
  for (const entry of log) {
    if ('machine' in entry) {
      const of = partOfMachine(entry.machine)
      const [visit] = newer.splice(
        newer.findIndex((one) => one.of === of),
        1,
      )
      if (visit !== undefined) story.push(visit)
      continue
    }
    const { at, type, deliveryIds } = entry
    const of = partOfEvent(type)
    const entered = story.findLast((one) => one.change !== undefined && one.of === of)
    if (entered !== undefined && entered.event === undefined && entered.at === at) entered.event = { type, deliveryIds }
    else story.push({ at, of: of ?? 'case', event: { type, deliveryIds } })
  }
  return story.map(({ at, of, change, event }) => compact({ at, of, change, event }))
}

interface Visit extends StoryEntry {
  /** 1 for the newest of its part. */
  back: number
}

function visitsOf(of: CasePart, { visited, enteredAt = [] }: Progress): Visit[] {
  return visited.map((to, index) => ({
    at: enteredAt[index] ?? 0,
    of,
    change: { from: visited[index - 1] ?? null, to },
    back: visited.length - index,
  }))
}

function partOfMachine(name: string): CasePart {
  if (name === 'prescription_transfer') return 'transfer'
  return name === 'benefits_check' ? name : 'case'
}

/** The part whose change an event reports; undefined for an event without a status. */
function partOfEvent(type: string): CasePart | undefined {
  if (type.endsWith('.prescription_transfer_change')) return 'transfer'
  if (type.endsWith('.real_time_benefits_check_change')) return 'benefits_check'
  return /\.(status_change|provider_outreach_change)$/.test(type) ? 'case' : undefined
}
