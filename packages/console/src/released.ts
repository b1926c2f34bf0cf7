import type { HoldName } from '@pawl/ledger/hot/holds'
import { isWaitingError } from '@pawl/ledger/hot/waiting-errors'
import type { RunRecord, RunViews } from '@pawl/ledger/views/list-runs'

/** How the resources fare that were released from a pause: the others had no run yet. */
export interface Fared {
  released: number
  succeeded: number
  failed: number
}

/** What this process released last from each pause. */
export interface Released {
  note(this: void, hold: HoldName, resourceIds: readonly string[]): Promise<void>
  /** Undefined if this process released nothing from it. */
  read(this: void, hold: HoldName): Promise<Fared | undefined>
}

/** Newest runs that are looked through. */
const maxRuns = 500

export function createReleased(ledger: Pick<RunViews, 'listRuns'>): Released {
  const last = new Map<string, { after: number; resourceIds: readonly string[] }>()
  const keyOf = ({ kind, name }: HoldName) => `${kind} ${name}`

  return {
    async note(hold, resourceIds) {
      const { rows } = await ledger.listRuns({}, 1)
      last.set(keyOf(hold), { after: rows[0]?.id ?? 0, resourceIds })
    },
    async read(hold) {
      const known = last.get(keyOf(hold))
      if (known === undefined) return undefined
      const { rows } = await ledger.listRuns(hold.kind === 'handler' ? { handler: hold.name } : {}, maxRuns)
      const since = rows.filter(({ id }) => id > known.after)
      const ends = known.resourceIds.map((id) => endOf(since.filter(({ resourceId }) => resourceId === id)))
      const countOf = (end: string) => ends.filter((each) => each === end).length
      return { released: ends.length, succeeded: countOf('succeeded'), failed: countOf('failed') }
    },
  }
}

/** How the newest run of each handler ended; a run that only found that it has to wait is none. */
function endOf(runs: readonly RunRecord[]): 'succeeded' | 'failed' | 'none' {
  const ended = runs.filter(({ errorCode }) => !isWaitingError(errorCode))
  const handlers = [...new Set(ended.map(({ handler }) => handler))]
  const newest = handlers.map((name) => ended.find(({ handler }) => handler === name)?.result)
  if (newest.some((result) => result === 'failed' || result === 'parked')) return 'failed'
  return newest.includes('succeeded') ? 'succeeded' : 'none'
}
