import type { Identifier } from 'pawl-client/schemas/identifiers'
import type { OutcomeFacts } from 'pawl-client/schemas/outcome-facts'
import type { SnapshotFacts } from './notes.ts'

/** Whom and what a snapshot is about, as projections need it: stored sealed beside it, so that none of them opens the snapshot. */
export interface SnapshotIdentity {
  identifiers: readonly Identifier[]
  groups: OutcomeFacts['groups']
}

/** As stored; `undefined` if it names nothing. */
export function writeIdentity({ identifiers, outcome }: SnapshotFacts): string | undefined {
  const groups = outcome?.groups ?? {}
  if (identifiers.length === 0 && Object.keys(groups).length === 0) return undefined
  return JSON.stringify({ identifiers, groups } satisfies SnapshotIdentity)
}

/** Written by `writeIdentity`. */
export const readIdentity = (stored: string) => JSON.parse(stored) as SnapshotIdentity
