import { type Kysely, sql } from 'kysely'
import type { Documents } from '../sealing/documents.ts'
import { SealBroken } from '../sealing/seal.ts'
import { sealContext } from '../sealing/seal-context.ts'
import type { Tables } from '../tables.ts'
import type { ViewCore } from '../core.ts'

type Db = Kysely<Tables>

/** A few notices of one reader. */
export interface FeedPage {
  notices: { sequence: number; resourceId: string; id: string; text: string }[]
  hasMore: boolean
}

export interface FeedQuery {
  /** NCPDP ids. */
  readers: readonly string[]
  /** The number of the last notice that the reader has; 0: from the oldest kept. */
  after: number
  limit: number
}

/** The next notices of these readers. `purged`: retention deleted some of them after that number. `unknown`: no such number was given out, as by a ledger that was replaced. Throws `SealBroken`. */
async function readFeed(
  db: Db,
  { readers, after, limit }: FeedQuery,
  documents: Documents,
): Promise<FeedPage | 'purged' | 'unknown'> {
  if (after > 0) {
    const { last } = await db
      .selectFrom('feed')
      .select((eb) => eb.fn.max('id').as('last'))
      .executeTakeFirstOrThrow()
    if (after > (last ?? 0)) return 'unknown'
  }
  // One statement: a concurrent deletion by retention shows as its trace.
  const rows = await db
    .selectFrom('feed')
    .select(['id', 'resource_id', 'notice_id', 'body', 'gone'])
    .where('reader', 'in', readers)
    .where('id', '>', after)
    .where(sql<boolean>`(gone is null or gone = 'purged')`)
    .orderBy('id')
    .limit(limit + 1 + readers.length)
    .execute()
  if (after > 0 && rows.some(({ gone }) => gone === 'purged')) return 'purged'
  const kept = rows.filter(({ gone }) => gone === null)
  return {
    notices: kept.slice(0, limit).map(({ id: sequence, resource_id: resourceId, notice_id: id, body }) => {
      const document = documents.read(body, sealContext.notice(id))
      if (document === undefined || 'broken' in document) throw new SealBroken(document?.broken ?? 'It is empty.')
      return { sequence, resourceId, id, text: document.text }
    }),
    hasMore: kept.length > limit,
  }
}

/** Notices of one reader that were not acknowledged in time. */
export interface Unacknowledged {
  reader: string
  count: number
  oldestAt: number
  /** The transfer of one of them. */
  resourceId: string
}

/** Reads of the feed. */
export type FeedViews = ReturnType<typeof createFeedViews>

export function createFeedViews({ db, now, documents }: ViewCore) {
  return {
    /** The next notices of a reader of the feed. Rejects with `SealBroken`. */
    feed: (query: FeedQuery) => readFeed(db, query, documents),
    /** Readers of the feed that did not acknowledge a notice within `withinMs`. */
    async unacknowledged(withinMs: number): Promise<Unacknowledged[]> {
      return db
        .selectFrom('feed')
        .select((eb) => [
          'reader',
          eb.fn.count<number>('resource_id').distinct().as('count'),
          eb.fn.min('at').as('oldestAt'),
          eb.fn.min('resource_id').as('resourceId'),
        ])
        .where('acknowledged_at', 'is', null)
        .where('gone', 'is', null)
        .where('at', '<', (await now()) - withinMs)
        .groupBy('reader')
        .orderBy('reader')
        .execute()
    },
  }
}
