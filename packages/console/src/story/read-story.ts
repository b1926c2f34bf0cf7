import { traceIdOf } from '@pawl/base/tracing/trace-id'
import { writeCursor } from '../contract/cursor.ts'
import { newestOf, type Source } from './newest-of.ts'
import { standingOf } from './standing.ts'
import type { RunEntry, Story, StoryWrite } from '../contract/story.ts'
import { toIso } from './to-iso.ts'
import type { History, HistoryCursor, StoryViews } from '@pawl/ledger/views/read-history'

/** Link to a written record in its system; absent if the system has none. */
export type LinkTo = (write: Omit<StoryWrite, 'link'>) => string | undefined

/** Part of a story: max entries, before the cursor of the previous part. */
export interface StoryPart {
  limit: number
  before?: HistoryCursor | undefined
}

/** Reads state and history of a resource, from the ledger alone; undefined for an unknown one. */
export type ReadStory = (id: string, part: StoryPart) => Promise<Story | undefined>

export function createReadStory({
  ledger,
  linkTo,
}: {
  ledger: Pick<StoryViews, 'history'>
  linkTo: LinkTo
}): ReadStory {
  return async (id, { limit, before = {} }) => {
    // One extra row of each source shows whether there are earlier ones.
    const history = await ledger.history(id, limit + 1, before)
    if (history === undefined) return undefined
    const { entries, cursor, isAll } = newestOf(sourcesOf(history, linkTo), limit)
    return { ...standingOf(history), entries, ...(!isAll && { before: writeCursor({ ...before, ...cursor }) }) }
  }
}

/** The sources of a story. Within one moment, causes come before effects. */
function sourcesOf(history: History, linkTo: LinkTo): Source[] {
  return [
    history.starts.map(({ at, prescription }) => ({
      at,
      below: { start: [at, prescription] },
      entry: { kind: 'start', at: toIso(at), prescription },
    })),
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
    history.notices.map(({ sequence, noticeId, reader, at, readAt, acknowledgedAt, acknowledgedBy }) => ({
      at,
      below: { notice: sequence },
      entry: {
        kind: 'notice',
        at: toIso(at),
        noticeId,
        sequence,
        ncpdpId: reader,
        ...(readAt !== undefined && { readAt: toIso(readAt) }),
        ...(acknowledgedAt !== undefined && { acknowledgedAt: toIso(acknowledgedAt), acknowledgedBy }),
      },
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

/** An unknown type may be any text. */
function shownType(type: string): string {
  return /^[a-z][a-z0-9_.]{0,99}$/.test(type) ? type : 'unknown'
}
