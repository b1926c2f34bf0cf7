import { traceIdOf } from '@pawl/base/tracing/trace-id'
import { writeCursor } from '../contract/cursor.ts'
import { createFold } from './fold-runs.ts'
import { type Source, takeNewest } from './take-newest.ts'
import { standingOf } from './standing.ts'
import type { RunEntry, Story, StoryWrite } from '../contract/story.ts'
import { pausedErrors, shownResult } from '@pawl/ledger/hot/waiting-errors'
import { toIso } from './to-iso.ts'
import type { History, HistoryCursor, StoryViews } from '@pawl/ledger/views/read-history'

/** Link to a written record in its system; absent if the system has none. */
export type LinkTo = (write: Omit<StoryWrite, 'link'>) => string | undefined

/** Part of a story: max entries, before the cursor of the previous part. */
export interface StoryPart {
  limit: number
  before?: HistoryCursor | undefined
}

/** Rows read for one part: about as many as an outage of a day leaves of two handlers. */
const maxRows = 10_000
const maxRowsAtOnce = 1_000

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
    const fold = createFold(limit)
    let standing: ReturnType<typeof standingOf> | undefined
    let cursor = before
    // Runs that fold leave room for more rows.
    for (let [rows, size] = [0, limit]; ; size = maxRowsAtOnce) {
      // One extra row of each source shows whether there are earlier ones.
      const history = await ledger.history(id, size + 1, cursor)
      if (history === undefined) return undefined
      standing ??= standingOf(history)
      const part = takeNewest(sourcesOf(history, linkTo), size, fold.take)
      cursor = { ...cursor, ...part.cursor }
      rows += part.taken
      if (part.end === 'limit' && rows < maxRows) continue
      return { ...standing, entries: fold.entries(), ...(part.end !== 'all' && { before: writeCursor(cursor) }) }
    }
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

/** What a run waited for, in words; undefined if it did not wait. */
function waitOf({ result, error }: History['runs'][number]): string | undefined {
  if (error === undefined || shownResult(result, error.code) !== 'waited') return undefined
  if (error.code === pausedErrors.handler) return 'the end of its pause'
  const system = error.system ?? 'a system'
  return error.code === pausedErrors.system ? `the end of the pause of ${system}` : system
}

function runEntry(run: History['runs'][number], linkTo: LinkTo): RunEntry {
  const waitsFor = waitOf(run)
  return {
    kind: 'run',
    at: toIso(run.startedAt),
    durationMs: Math.max(0, run.finishedAt - run.startedAt),
    handler: run.handler,
    result: shownResult(run.result, run.error?.code),
    ...(waitsFor !== undefined && { waitsFor }),
    times: 1,
    since: toIso(run.startedAt),
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
