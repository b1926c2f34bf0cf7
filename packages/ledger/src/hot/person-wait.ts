import { type Expression, sql } from 'kysely'

/** Whether a resource waits for a person, read from its snapshot. */
export interface PersonWait {
  /** Reason code; absent if it does not wait. */
  waitsFor?: string | undefined
  /** The resource that it replaces. */
  followsUp?: string | undefined
}

/** The columns that say whether a resource waits for a person. */
export interface PersonWaitRow {
  waits_for: string | null
  person_since: number | null
  follows_up: string | null
}

/** Columns of a wait just read; `undefined` gives those of a resource that waits for no person. */
export function personWaitRow({ waitsFor, followsUp }: PersonWait = {}, now: number): PersonWaitRow {
  return {
    waits_for: waitsFor ?? null,
    person_since: waitsFor === undefined ? null : now,
    follows_up: followsUp ?? null,
  }
}

/** Values to set, from values or from another table's columns: a wait for the same reason keeps its start. */
export function setPersonWait(row: {
  [Column in keyof PersonWaitRow]: PersonWaitRow[Column] | Expression<PersonWaitRow[Column]>
}) {
  const { waits_for, person_since, follows_up } = row
  return {
    waits_for,
    person_since: sql<number | null>`case when resources.waits_for = ${waits_for} then resources.person_since
      else ${person_since} end`,
    follows_up,
  }
}
