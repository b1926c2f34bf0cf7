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
  /** What chance and `mock_result` decided at creation. */
  script: Script
  progress: Progress<State>
}

/** All records of one kind. Every change of a record ends in `save`. */
export interface Shelf<R extends StoredRecord> {
  save: (record: R) => void
  find: (id: string) => R | undefined
  /** The record if it is the organization's; another's looks like none (specification, Authentication 4). */
  findOwn: (id: string, organization: string) => R | undefined
  /** Oldest first. */
  list: () => R[]
  /** The organization's, oldest first. */
  listOwn: (organization: string) => R[]
}

/** The records of every kind and organization. */
export interface Store {
  /** The shelf of a kind; each call returns the same records. */
  shelf<R extends StoredRecord>(kind: R['kind']): Shelf<R>
  /** Forgets every record but those of the kinds that are named. */
  clear(kept: readonly string[]): void
}

/** Creates a store in memory that starts with what the archive holds and writes every change to it. */
export function createStore({ archive }: { archive: Archive } = { archive: noArchive }): Store {
  const recordsByKind = new Map<string, Map<string, StoredRecord>>()

  function recordsOf(kind: string): Map<string, StoredRecord> {
    const records = recordsByKind.get(kind) ?? new Map<string, StoredRecord>()
    recordsByKind.set(kind, records)
    return records
  }

  for (const { value } of archive.list('record')) {
    // The compiler cannot see that only `save` writes records.
    const record = value as StoredRecord
    recordsOf(record.kind).set(record.id, record)
  }
  return {
    shelf: <R extends StoredRecord>(kind: R['kind']): Shelf<R> => {
      // The compiler cannot see that a kind belongs to one type of record.
      const records = recordsOf(kind) as Map<string, R>
      return {
        save: (record) => {
          records.set(record.id, record)
          archive.put('record', `${kind}/${record.id}`, record)
        },
        find: (id) => records.get(id),
        findOwn: (id, organization) => {
          const record = records.get(id)
          return record?.organization === organization ? record : undefined
        },
        list: () => [...records.values()],
        listOwn: (organization) => [...records.values()].filter((record) => record.organization === organization),
      }
    },
    clear: (kept) => {
      for (const [kind, records] of recordsByKind) {
        if (kept.includes(kind)) continue
        for (const id of records.keys()) archive.remove('record', `${kind}/${id}`)
        records.clear()
      }
    },
  }
}
