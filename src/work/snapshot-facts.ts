import { describeChange } from '../service/schemas/describe-change.ts'
import type { ResourceKind } from '../service/schemas/kinds.ts'
import { readIdentifiers } from '../service/schemas/identifiers.ts'
import { readOutcomeFacts } from '../service/schemas/outcome-facts.ts'
import { readStanding } from '../service/schemas/waits-for-people.ts'
import type { Document } from '../ledger/sealing/documents.ts'
import type { SnapshotFacts } from '../ledger/hot/notes.ts'

/** What the ledger keeps of a snapshot beside itself: in which fields it differs from the one before, by what it is found, whether it waits for a person, and what the report needs of it. */
export function snapshotFacts(
  before: Document | undefined,
  { kind, data, text, readAt }: { kind: ResourceKind; data: unknown; text: string; readAt: number },
): SnapshotFacts {
  const textBefore = before !== undefined && 'text' in before ? before.text : undefined
  // With what cannot be opened nothing can be compared: it begins anew.
  const readBefore = (): unknown => (textBefore === undefined ? undefined : JSON.parse(textBefore))
  const changes = textBefore === text ? [] : describeChange(readBefore(), data)
  const outcome = readOutcomeFacts(data)
  return {
    readAt,
    changes,
    identifiers: readIdentifiers(data),
    standing: readStanding(kind, data),
    ...(outcome !== undefined && { outcome }),
  }
}
