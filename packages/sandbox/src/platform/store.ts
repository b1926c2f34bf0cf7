import { type Archive, noArchive } from './archive.ts'
import type { Progress } from './machine.ts'

/** A stored record: plain data, so that it can be archived as JSON. */
export interface StoredRecord {
  kind: string
  id: string
  organization: string
}

/** The record of a resource that moves through a state table. */
export interface ResourceRecord<Kind extends string, Resource, Script, State extends string> extends StoredRecord {
  kind: Kind
  /** As GET returns it. */
  resource: Resource
  /** Decided by chance or `mock_result` at creation. */
  script: Script
  progress: Progress<State>
}

/** All records of one kind. Save every change of a record. */
export interface Shelf<R extends StoredRecord> {
  save: (record: R) => void
  find: (id: string) => R | undefined
  /** The record if the organization owns it; another organization's looks nonexistent (specification, Authentication 4). */
  findOwn: (id: string, organization: string) => R | undefined
  /** Oldest first. */
  list: () => R[]
  /** The organization's records, oldest first. */
  listOwn: (organization: string) => R[]
}

/** The records of every kind and organization. */
export interface Store {
  /** Each call with a kind returns the same records. */
  shelf<R extends StoredRecord>(kind: R['kind']): Shelf<R>
  /** Deletes all records except those of the given kinds. */
  clear(kept: readonly string[]): void
}

/** A store in memory that starts with the archive's records and writes every change to it. */
export function createStore({ archive }: { archive: Archive } = { archive: noArchive }): Store {
  const recordsByKind = new Map<string, Map<string, StoredRecord>>()

  function recordsOf(kind: string): Map<string, StoredRecord> {
    const records = recordsByKind.get(kind) ?? new Map<string, StoredRecord>()
    recordsByKind.set(kind, records)
    return records
  }

  function save(record: StoredRecord): void {
    recordsOf(record.kind).set(record.id, record)
    archive.put('record', `${record.kind}/${record.id}`, record)
  }

  function clear(kept: readonly string[]): void {
    for (const [kind, records] of recordsByKind) {
      if (kept.includes(kind)) continue
      for (const id of records.keys()) archive.remove('record', `${kind}/${id}`)
      records.clear()
    }
  }

  for (const { value } of archive.list('record')) {
    // The compiler cannot see that only `save` writes records.
    const record = value as StoredRecord
    recordsOf(record.kind).set(record.id, record)
  }
  return {
    shelf: <R extends StoredRecord>(kind: R['kind']): Shelf<R> => {
      // The compiler cannot see that each kind has one type of record.
      const records = recordsOf(kind) as Map<string, R>
      return {
        save,
        find: (id) => records.get(id),
        findOwn: (id, organization) => {
          const record = records.get(id)
          return record?.organization === organization ? record : undefined
        },
        list: () => [...records.values()],
        listOwn: (organization) => [...records.values()].filter((record) => record.organization === organization),
      }
    },
    clear,
  }
}
