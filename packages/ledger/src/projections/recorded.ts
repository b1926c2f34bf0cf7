import { type JournalEntry, readEntry } from '../hot/journal-rows.ts'
import { readIdentity, type SnapshotIdentity } from '../hot/snapshot-identity.ts'
import { sealContext } from '../sealing/seal-context.ts'
import type { Tables } from '../tables.ts'
import type { Step } from './projection.ts'

/** A resource of the journal. */
export interface RecordedResource {
  number: number
  kind: Tables['resources']['kind']
  firstEventAt: number
  /** Of its newest snapshot; opened once. */
  readIdentity(this: void): SnapshotIdentity | 'none' | 'unreadable'
}

/** A row of the journal, with its resource. */
export interface Recorded {
  id: number
  at: number
  entry: JournalEntry
  resource: RecordedResource
}

/** The rows of the journal after one, up to another, oldest first. */
export async function readRecorded(
  { trx, documents }: Pick<Step<never>, 'trx' | 'documents'>,
  after: number,
  to: number,
): Promise<Recorded[]> {
  const rows = await trx
    .selectFrom('journal')
    .innerJoin('resources', 'number', 'journal.resource')
    .leftJoin('states', 'states.resource', 'number')
    .select(['journal.id', 'at', 'entry', 'number', 'kind', 'first_event_at', 'identity', 'resources.id as resourceId'])
    .where('journal.id', '>', after)
    .where('journal.id', '<=', to)
    .orderBy('journal.id')
    .execute()
  const resources = new Map<number, RecordedResource>()
  return rows.map(({ id, at, entry, number, kind, identity, resourceId, ...row }) => {
    let opened: ReturnType<RecordedResource['readIdentity']> | undefined
    const open = () => {
      const document = documents.read(identity, sealContext.identity(resourceId))
      if (document === undefined) return 'none'
      return 'broken' in document ? 'unreadable' : readIdentity(document.text)
    }
    const resource = resources.get(number) ?? {
      number,
      kind,
      firstEventAt: row.first_event_at,
      readIdentity: () => (opened ??= open()),
    }
    resources.set(number, resource)
    return { id, at, entry: readEntry(entry), resource }
  })
}
