import type { ViewCore } from '../core.ts'
import type { ProjectionName } from '../tables.ts'
import { readCursors } from './read-cursors.ts'
import { sources } from './sources.ts'

/** How far the projections are behind. */
export type LagViews = ReturnType<typeof createLagViews>

export function createLagViews({ db, now }: ViewCore) {
  return {
    /** Milliseconds since the oldest row that a projection has not read was written, by projection; 0: none is left. */
    async projectionLags(): Promise<Record<ProjectionName, number>> {
      const cursors = await readCursors(db)
      const at = await now()
      const lags: Record<ProjectionName, number> = { ...cursors }
      for (const { names, readUnread } of sources)
        for (const name of names) {
          const [oldest] = await readUnread(db, cursors[name], 1)
          lags[name] = oldest === undefined ? 0 : Math.max(0, at - oldest.at)
        }
      return lags
    },
  }
}
