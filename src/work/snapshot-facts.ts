import { describeChange } from '../service/schemas/describe-change.ts'
import type { ResourceKind } from '../service/schemas/kinds.ts'
import { readIdentifiers } from '../service/schemas/identifiers.ts'
import { readOutcomeFacts } from '../service/schemas/outcome-facts.ts'
import { readPersonWait } from '../service/schemas/waits-for-people.ts'
import { type Document, readDocument } from '../ledger/sealing/documents.ts'
import type { SnapshotFacts } from '../ledger/hot/notes.ts'

/** Facts stored beside a snapshot: its changed fields, identifiers to search by, whether it waits for a person, and figures for the report. */
export function snapshotFacts(
  before: Document | undefined,
  { kind, data, text, readAt }: { kind: ResourceKind; data: unknown; text: string; readAt: number },
): SnapshotFacts {
  const textBefore = before !== undefined && 'text' in before ? before.text : undefined
  // A broken seal leaves nothing to compare with: the history starts over.
  const changes = textBefore === text ? [] : describeChange(textBefore && readDocument(before), data)
  const outcome = readOutcomeFacts(data)
  return {
    readAt,
    changes,
    identifiers: readIdentifiers(data),
    personWait: readPersonWait(kind, data),
    ...(outcome !== undefined && { outcome }),
  }
}
