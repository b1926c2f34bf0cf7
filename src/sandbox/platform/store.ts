import { type Archive, noArchive } from './archive.ts'
import type { RecordKind, Records } from '../records.ts'

/** All resources of all organizations. Every change of a record ends in `save`. */
export interface Store {
  save: (record: Records[RecordKind]) => void
  find<K extends RecordKind>(kind: K, id: string): Records[K] | undefined
  /** The record if it is the organization's; another's looks like none (specification, Authentication 4). */
  findOwn<K extends RecordKind>(kind: K, id: string, organization: string): Records[K] | undefined
  /** Oldest first. */
  list<K extends RecordKind>(kind: K): Records[K][]
}

/** Makes a store in memory that writes to the archive, and begins with what is kept there. */
export function createStore({ archive }: { archive: Archive } = { archive: noArchive }): Store {
  const shelves = new Map<RecordKind, Map<string, Records[RecordKind]>>()
  const shelf = <K extends RecordKind>(kind: K): Map<string, Records[K]> => {
    const found = shelves.get(kind) ?? new Map<string, Records[RecordKind]>()
    shelves.set(kind, found)
    // The compiler cannot see that a record's kind picks the shelf of its own type.
    return found as Map<string, Records[K]>
  }
  const find = <K extends RecordKind>(kind: K, id: string): Records[K] | undefined => shelf(kind).get(id)
  for (const { value } of archive.list('record')) {
    // The compiler cannot see that only `save` writes records.
    const record = value as Records[RecordKind]
    shelf(record.kind).set(record.id, record)
  }
  return {
    save: (record) => {
      shelf(record.kind).set(record.id, record)
      archive.put('record', `${record.kind}/${record.id}`, record)
    },
    find,
    findOwn: (kind, id, organization) => {
      const record = find(kind, id)
      return record?.organization === organization ? record : undefined
    },
    list: (kind) => [...shelf(kind).values()],
  }
}
