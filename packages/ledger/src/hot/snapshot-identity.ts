import type { Identifier } from 'pawl-client/schemas/identifier-fields'
import type { OutcomeFacts } from 'pawl-client/schemas/outcome-facts'

/** Whom and what a snapshot is about, as projections need it: stored sealed beside it, so that none of them opens the snapshot. */
export interface SnapshotIdentity {
  identifiers: readonly Identifier[]
  groups: OutcomeFacts['groups']
}

/** As stored; `undefined` if it names nothing. */
export function writeIdentity({ identifiers, groups }: SnapshotIdentity): string | undefined {
  if (identifiers.length === 0 && Object.keys(groups).length === 0) return undefined
  return JSON.stringify({ identifiers, groups })
}

/** Written by `writeIdentity`. */
export const readIdentity = (stored: string) => JSON.parse(stored) as SnapshotIdentity
