import type { ExpressionBuilder } from 'kysely'
import type { Standing } from './ledger.ts'
import type { Tables } from './tables.ts'

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

/** What to set: whoever waits for the same as before waits since then. */
export function setStanding(eb: ExpressionBuilder<Tables, 'resources'>, row: StandingRow) {
  return {
    waits_for: row.waits_for,
    waits_since: eb
      .case()
      .when('waits_for', '=', row.waits_for)
      .then(eb.ref('waits_since'))
      .else(row.waits_since)
      .end(),
    follows_up: row.follows_up,
  }
}
