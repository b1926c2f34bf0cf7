import type { RecordKind, Records } from './records.ts'

/** All resources of all organizations. Every change of a record ends in `save`. */
export interface Store {
  save: (record: Records[RecordKind]) => void
  find<K extends RecordKind>(kind: K, id: string): Records[K] | undefined
  /** The record if it is the organization's; another's looks like none (specification, Authentication 4). */
  findOwn<K extends RecordKind>(kind: K, id: string, organization: string): Records[K] | undefined
  /** Oldest first. */
  list<K extends RecordKind>(kind: K): Records[K][]
}

/** Makes a store in memory. */
export function createStore(): Store {
  const shelves = new Map<RecordKind, Map<string, Records[RecordKind]>>()
  const shelf = <K extends RecordKind>(kind: K): Map<string, Records[K]> => {
    const found = shelves.get(kind) ?? new Map<string, Records[RecordKind]>()
    shelves.set(kind, found)
    // The compiler cannot see that a record's kind picks the shelf of its own type.
    return found as Map<string, Records[K]>
  }
  const find = <K extends RecordKind>(kind: K, id: string): Records[K] | undefined => shelf(kind).get(id)
  return {
    save: (record) => {
      shelf(record.kind).set(record.id, record)
    },
    find,
    findOwn: (kind, id, organization) => {
      const record = find(kind, id)
      return record?.organization === organization ? record : undefined
    },
    list: (kind) => [...shelf(kind).values()],
  }
}
