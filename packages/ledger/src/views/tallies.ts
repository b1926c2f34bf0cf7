import type { ViewCore } from '../core.ts'
import type { Tally } from './tally-of-time.ts'

/** Reads of counts by minute and hour. */
export type TallyViews = ReturnType<typeof createTallyViews>

export function createTallyViews({ db, now }: ViewCore) {
  return {
    /** The history since `withinMs` ago, oldest first: by minute for a day, by hour for a week. */
    async tallies(span: 'minute' | 'hour', withinMs: number): Promise<Tally[]> {
      return db
        .selectFrom('tallies')
        .select(['at', 'name', 'value'])
        .where('span', '=', span)
        .where('at', '>=', (await now()) - withinMs)
        .orderBy('at')
        .execute()
    },
  }
}
