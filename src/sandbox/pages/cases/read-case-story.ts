import type { Progress, Row } from '../../platform/machine.ts'
import type { PriorAuthorizationRecord } from '../../prior-authorization/record.ts'
import { ruleAgainst } from '../../prior-authorization/rule-against.ts'
import type { LoggedEvent } from '../../webhooks/event-log.ts'
import type { CaseRecord } from './read-cases.ts'

/** A status or event of a case, in sandbox time (ms since 1970). */
export type StoryEntry =
  | { at: number; kind: 'status'; of: 'case' | 'transfer' | 'benefits check'; state: string }
  | { at: number; kind: 'event'; type: string }

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

/** History of a case, oldest first, each status before its events. */
export function readStory(record: CaseRecord, events: readonly LoggedEvent[]): StoryEntry[] {
  const { transfer, benefitsCheck } = asPriorAuthorization(record) ?? {}
  const story: StoryEntry[] = [
    ...visitsOf('case', record.progress),
    ...visitsOf('transfer', transfer),
    ...visitsOf('benefits check', benefitsCheck),
    ...events.map(({ at, type }) => ({ at, kind: 'event' as const, type })),
  ]
  return story.toSorted((one, other) => one.at - other.at)
}

function visitsOf(of: Extract<StoryEntry, { kind: 'status' }>['of'], progress?: Progress): StoryEntry[] {
  const { visited = [], enteredAt = [] } = progress ?? {}
  return visited.map((state, index) => ({ at: enteredAt[index] ?? 0, kind: 'status', of, state }))
}
