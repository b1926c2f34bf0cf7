import { traceIdOf } from '../../base/tracing/trace-id.ts'
import { writeCursor } from '../contract/cursor.ts'
import { newestOf, type Source } from './newest-of.ts'
import { standingOf } from './standing.ts'
import type { RunEntry, Story, StoryWrite } from '../contract/story.ts'
import { toIso } from './to-iso.ts'
import type { History, HistoryCursor } from '../../ledger/views/read-history.ts'
import type { Views } from '../../ledger/views/create-views.ts'

/** Where a person can look at what a write left in its system; absent where the system does not tell. */
export type LinkTo = (write: Omit<StoryWrite, 'link'>) => string | undefined

/** Which part of a story: so many entries, before a cursor that an earlier part came with. */
export interface StoryPart {
  limit: number
  before?: HistoryCursor | undefined
}

/** Tells how a resource stands and what happened to it, from the ledger alone; undefined of one that the ledger does not know. */
export type ReadStory = (id: string, part: StoryPart) => Promise<Story | undefined>

export function createReadStory({ ledger, linkTo }: { ledger: Pick<Views, 'history'>; linkTo: LinkTo }): ReadStory {
  return async (id, { limit, before = {} }) => {
    // One more of each tells whether there are any before.
    const history = await ledger.history(id, limit + 1, before)
    if (history === undefined) return undefined
    const { entries, cursor, isAll } = newestOf(sourcesOf(history, linkTo), limit)
    return { ...standingOf(history), entries, ...(!isAll && { before: writeCursor({ ...before, ...cursor }) }) }
  }
}

/** The kinds of row that a story is made of. Of one moment, a source comes before those that follow from it. */
function sourcesOf(history: History, linkTo: LinkTo): Source[] {
  return [
    history.events.map(({ id, receivedAt, type, source, repeats, traceparent }) => ({
      at: receivedAt,
      below: { event: id },
      entry: {
        kind: 'delivery',
        at: toIso(receivedAt),
        eventId: id,
        type: shownType(type),
        source,
        duplicates: repeats,
        traceId: traceIdOf({ id, receivedAt, traceparent }),
      },
    })),
    history.transitions.map(({ id, at, eventId, changes }) => ({
      at,
      below: { transition: id },
      entry: { kind: 'snapshot', at: toIso(at), eventId, changes },
    })),
    history.runs.map((run) => ({ at: run.startedAt, below: { run: run.id }, entry: runEntry(run, linkTo) })),
    history.effects.map(({ at, handler, key }) => ({
      at,
      below: { effect: [at, handler, key] },
      entry: { kind: 'effect', at: toIso(at), handler, key },
    })),
    history.reveals.map(({ id, at, actor }) => ({
      at,
      below: { reveal: id },
      entry: { kind: 'reveal', at: toIso(at), actor: actor.name },
    })),
  ]
}

function runEntry(run: History['runs'][number], linkTo: LinkTo): RunEntry {
  return {
    kind: 'run',
    at: toIso(run.startedAt),
    durationMs: Math.max(0, run.finishedAt - run.startedAt),
    handler: run.handler,
    result: run.result,
    ...(run.error && {
      error: { code: run.error.code, ...(run.error.message !== undefined && { message: run.error.message }) },
    }),
    ...(run.nextAt !== undefined && { nextAt: toIso(run.nextAt) }),
    events: { first: run.firstEventId, last: run.lastEventId },
    writes: run.writes.map((write) => {
      const link = linkTo(write)
      return { ...write, ...(link !== undefined && { link }) }
    }),
  }
}

/** A type that the catalog does not know may be any text. */
function shownType(type: string): string {
  return /^[a-z][a-z0-9_.]{0,99}$/.test(type) ? type : 'unknown'
}
