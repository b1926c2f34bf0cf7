import type { Progress } from '../platform/machine.ts'
import { codedRefusal, type Refusal } from '../platform/refusal.ts'
import type { Store, StoredRecord } from '../platform/store.ts'
import { type CaseKind, caseKindNames } from './case-kinds.ts'

/** Fields common to the records of all kinds of case. */
export interface CaseRecord extends StoredRecord {
  kind: CaseKind
  resource: object
  progress: Progress
}

/** Selects cases. */
export interface CaseFilter {
  kind?: CaseKind | undefined
  status?: string | undefined
}

export interface CasePage {
  cases: CaseRecord[]
  /** Cursor of the next page: the last case of this one. */
  next: string | undefined
}

/** Reads the cases of all organizations, newest first. */
export interface CaseReader {
  page(filter: CaseFilter, limit: number, after?: string): CasePage
  find(id: string): CaseRecord | undefined
  /** Number of cases by kind and status. */
  counts(): { kind: CaseKind; status: string; count: number }[]
}

export function createCaseReader(store: Store): CaseReader {
  const shelves = caseKindNames.map((kind) => ({ kind, shelf: store.shelf<CaseRecord>(kind) }))

  function listed({ kind, status }: CaseFilter): CaseRecord[] {
    return shelves
      .filter((one) => kind === undefined || one.kind === kind)
      .flatMap(({ shelf }) => shelf.list().toReversed())
      .filter(({ progress }) => status === undefined || progress.state === status)
      .toSorted((one, other) => startOf(other) - startOf(one))
  }

  return {
    page: (filter, limit, after) => {
      const all = listed(filter)
      const begin = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
      const cases = all.slice(begin, begin + limit)
      return { cases, next: begin + limit < all.length ? cases.at(-1)?.id : undefined }
    },
    find: (id) => {
      for (const { shelf } of shelves) {
        const found = shelf.find(id)
        if (found !== undefined) return found
      }
      return undefined
    },
    counts: () =>
      shelves.flatMap(({ kind, shelf }) => {
        const byStatus = new Map<string, number>()
        for (const { progress } of shelf.list()) byStatus.set(progress.state, (byStatus.get(progress.state) ?? 0) + 1)
        return [...byStatus].map(([status, count]) => ({ kind, status, count }))
      }),
  }
}

/** Start of a case in sandbox time (ms since 1970). */
export function startOf({ progress }: CaseRecord): number {
  return progress.enteredAt?.[0] ?? 0
}

/** The refusal of an unknown case id. */
export function unknownCase(id: string): Refusal {
  return codedRefusal(404, {
    title: 'Unknown case',
    description: `There is no case ${id}: it belongs to another sandbox, or this one was reset. List the cases to see those it has.`,
    code: 'unknown_case',
  })
}
