import { sql } from 'kysely'
import type { FeedNotice } from '@pawl/base/system-notes'
import { type Actor, nameResources } from '../audit/audit-entry.ts'
import type { Core } from '../core.ts'
import type { ClaimToken } from '../hot/claim.ts'
import { assertHeld } from '../hot/claimed-states.ts'
import { sealContext } from '../sealing/seal-context.ts'

/** A reader of the feed: its name, and the NCPDP ids whose notices are its own. */
export interface FeedReader {
  name: string
  ncpdpIds: readonly string[]
}

/** Writes the feed of notices that pharmacies read, in the order of one number. */
export interface Feed {
  /** Adds a notice, once for each id. Numbers are assigned in the order of commits: a reader past a number misses none below it. Throws `ClaimLost`. */
  publish(token: ClaimToken, notice: FeedNotice): Promise<void>
  /** Records the read of these notices in the audit trail; call it before handing them out. */
  noteFeedRead(reader: FeedReader, notices: readonly { sequence: number; resourceId: string }[]): Promise<void>
  /** Records that the reader has a notice and all earlier ones of the same transfer; resolves with the time of the first acknowledgement. */
  acknowledge(reader: FeedReader, noticeId: string): Promise<{ at: number } | 'gone' | 'unknown'>
}

/** The key that locks the feed in a commit, as if it were a resource: the next number is assigned after that commit. */
const feedLock = 'pharmacy feed'

export function createFeed({ commits, trail, documents }: Core): Feed {
  return {
    publish: (token, { id, reader, text }) =>
      commits.write(
        async (trx, now) => {
          await assertHeld(trx, token)
          const body = documents.write(text, sealContext.notice(id))
          // A feed that was restored, or lost, has forgotten its last numbers: a reader who has them would miss notices under the same ones.
          const next = sql<number>`(select case when max(id) >= ${now} then max(id) + 1 else ${now} end from feed)`
          await trx
            .insertInto('feed')
            .values({ id: next, resource_id: token.resourceId, notice_id: id, reader, body, at: now })
            .onConflict((conflict) => conflict.column('notice_id').doNothing())
            .execute()
        },
        () => [token.resourceId, feedLock],
      ),
    noteFeedRead: ({ name }, notices) =>
      commits.write(async (trx, now) => {
        const sequences = notices.map(({ sequence }) => sequence)
        await trx
          .updateTable('feed')
          .set({ read_at: now })
          .where('id', 'in', sequences)
          .where('read_at', 'is', null)
          .execute()
        const details = nameResources([...new Set(notices.map(({ resourceId }) => resourceId))])
        await trail.append(trx, now, [{ actor: readerActor(name), action: 'feed.read', details }])
      }),
    acknowledge: ({ name, ncpdpIds }, noticeId) =>
      commits.write(async (trx, now) => {
        const row = await trx
          .selectFrom('feed')
          .select(['id', 'resource_id', 'reader', 'acknowledged_at', 'gone'])
          .where('notice_id', '=', noticeId)
          .where('reader', 'in', ncpdpIds)
          .executeTakeFirst()
        if (row === undefined) return 'unknown'
        if (row.gone !== null) return 'gone'
        if (row.acknowledged_at !== null) return { at: row.acknowledged_at }
        await trx
          .updateTable('feed')
          .set({ acknowledged_at: now, acknowledged_by: name })
          .where('resource_id', '=', row.resource_id)
          .where('reader', '=', row.reader)
          .where('id', '<=', row.id)
          .where('acknowledged_at', 'is', null)
          .execute()
        const details = { notice: noticeId }
        const { resource_id: resourceId } = row
        await trail.append(trx, now, [{ actor: readerActor(name), action: 'feed.acknowledge', resourceId, details }])
        return { at: now }
      }),
  }
}

function readerActor(name: string): Actor {
  return { name, via: 'feed' }
}
