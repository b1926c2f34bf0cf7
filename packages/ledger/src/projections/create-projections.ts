import type { Core } from '../core.ts'
import { catchUp, project } from './project.ts'
import type { ProjectionName } from '../tables.ts'
import { type Backlog, noteBacklog } from './count-tallies.ts'

/** Derives lookups, outcomes and tallies from what was written, beside the work. */
export interface Projections {
  /** One small step of these projections, or of all, over up to `limit` rows; resolves with whether more are left. */
  project(names?: readonly ProjectionName[], limit?: number): Promise<boolean>
  /** Projects all rows written so far. */
  catchUp(names?: readonly ProjectionName[]): Promise<void>
  /** Adds the current backlog to the tallies. */
  noteBacklog(backlog: Backlog): Promise<void>
}

export function createProjections(core: Core): Projections {
  return {
    project: (names, limit) => project(core, names, limit),
    catchUp: (names) => catchUp(core, names),
    noteBacklog: (backlog) => core.commits.write((trx, now) => noteBacklog(trx, backlog, now)),
  }
}
