import type { Progress, Row } from '../platform/machine.ts'
import type { PriorAuthorizationRecord } from '../prior-authorization/record.ts'
import { ruleAgainst } from '../prior-authorization/rule-against.ts'
import type { LoggedEvent } from '../webhooks/event-log.ts'
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
  event?: Pick<LoggedEvent, 'type' | 'deliveryIds'>
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

/** By part: number of statuses entered so far. */
export function countVisits(record: CaseRecord): Record<string, number> {
  return Object.fromEntries(Object.entries(partsOf(record)).map(([of, { visited }]) => [of, visited.length]))
}

/** History of a case, oldest first; at the same time the case comes before its parts. */
export function readStory(record: CaseRecord, events: readonly LoggedEvent[]): StoryEntry[] {
  const visits = Object.entries(partsOf(record))
    // The compiler types keys as strings.
    .flatMap(([of, progress]) => visitsOf(of as CasePart, progress))
    .toSorted((one, other) => one.at - other.at)
  const story: (StoryEntry & { index?: number })[] = []
  for (const { at, type, deliveryIds, visited } of events) {
    const isBefore = ({ of, index }: Visit) => index < (visited[of] ?? 0)
    const of = partOf(type)
    story.push(...visits.filter(isBefore))
    visits.splice(0, visits.length, ...visits.filter((visit) => !isBefore(visit)))
    const entered = story.findLast(({ index, ...entry }) => index !== undefined && entry.of === of)
    const isOfThis =
      entered?.event === undefined && entered?.at === at && entered.index === (visited[of ?? ''] ?? 0) - 1
    if (isOfThis) entered.event = { type, deliveryIds }
    else story.push({ at, of: of ?? 'case', event: { type, deliveryIds } })
  }
  return [...story, ...visits].map(({ index: _index, ...entry }) => entry)
}

interface Visit extends StoryEntry {
  index: number
}

function visitsOf(of: CasePart, { visited, enteredAt = [] }: Progress): Visit[] {
  return visited.map((to, index) => ({
    at: enteredAt[index] ?? 0,
    of,
    change: { from: visited[index - 1] ?? null, to },
    index,
  }))
}

/** The part whose change an event tells; undefined for an event of no status. */
function partOf(type: string): CasePart | undefined {
  if (type.endsWith('.prescription_transfer_change')) return 'transfer'
  if (type.endsWith('.real_time_benefits_check_change')) return 'benefits_check'
  return /\.(status_change|provider_outreach_change)$/.test(type) ? 'case' : undefined
}
