import { statusOf } from './standing.ts'
import type { Matches } from '../contract/story.ts'
import { toIso } from './to-iso.ts'
import type { Projections } from '@pawl/ledger/projections/create-projections'
import type { Search, SearchViews } from '@pawl/ledger/views/find'

/** Finds the resource with an id, or else those that carry it as a number, the newest events first. */
export type FindResources = (search: Search, limit: number) => Promise<Matches>

export function createFindResources({ ledger }: { ledger: SearchViews & Pick<Projections, 'catchUp'> }): FindResources {
  return async (sought, limit) => {
    await ledger.catchUp(['lookups'])
    const found = await ledger.find(sought, limit + 1)
    const matches = found.slice(0, limit).map(({ id, kind, snapshot, lastEventAt, by }) => ({
      id,
      kind,
      ...statusOf(snapshot),
      ...(lastEventAt !== undefined && { lastEventAt: toIso(lastEventAt) }),
      by,
    }))
    return { matches, isAll: found.length <= limit }
  }
}
