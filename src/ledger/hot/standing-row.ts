import { type Expression, sql } from 'kysely'

/** Whether a resource waits for a person, as its snapshot tells. */
export interface Standing {
  /** Why, as a code; absent where it does not. */
  waitsFor?: string | undefined
  /** The resource that it was sent in place of. */
  followsUp?: string | undefined
}

/** The columns that say whether a resource waits for a person. */
export interface StandingRow {
  waits_for: string | null
  waits_since: number | null
  follows_up: string | null
}

/** The columns of a standing that was read now; without one, those of a resource that waits for nobody. */
export function standingRow({ waitsFor, followsUp }: Standing = {}, now: number): StandingRow {
  return {
    waits_for: waitsFor ?? null,
    waits_since: waitsFor === undefined ? null : now,
    follows_up: followsUp ?? null,
  }
}

/** What to set, from values or from another table's columns: whoever waits for the same as before waits since then. */
export function setStanding(row: {
  [Column in keyof StandingRow]: StandingRow[Column] | Expression<StandingRow[Column]>
}) {
  const { waits_for, waits_since, follows_up } = row
  return {
    waits_for,
    waits_since: sql<number | null>`case when resources.waits_for = ${waits_for} then resources.waits_since
      else ${waits_since} end`,
    follows_up,
  }
}
