import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Core } from '../core.ts'
import { acceptAll, type Accepted } from './accept.ts'
import { readStandings } from './claims.ts'
import {
  claimPolls,
  findPollable,
  findUnsettled,
  forgetUnreadable,
  pollNow,
  notePolled,
  readNextPollIn,
  type PollResult,
  type Pollable,
} from './polls.ts'
import { saveSnapshots } from './progress.ts'

/** Claims resources whose poll has come, and records the answers. */
export interface Polls {
  /** Takes resources whose next poll has come: nobody else polls them for `holdMs`, or until what came of it is recorded. `more` says that others may be waiting. */
  claimPolls(limit: number, holdMs: number): Promise<{ polls: Pollable[]; more: boolean }>
  /** Milliseconds until the next poll of any resource; not positive when it has come. */
  nextPollIn(): Promise<number | undefined>
  /** Records what a poll found, with the event that tells of it, in one commit, and resolves with the trace of that event; undefined, with nothing recorded, where something newer was stored since or somebody works on the resource. */
  recordPoll(
    poll: Pick<Pollable, 'resourceId' | 'newestEventId'>,
    result: PollResult,
  ): Promise<{ traceId?: string } | undefined>
  /** Has every resource polled soon that may still change, and every one that had an event since then; resolves with their number. */
  pollSoon(since: number): Promise<number>
}

export function createPolls({ db, storage, commits, writeTo, seal, documents, digestKey }: Core): Polls {
  return {
    async claimPolls(limit, holdMs) {
      const ids = await findPollable(db, limit, { now: await storage.now(db) })
      const touches = () => ids
      const polls = await commits.write((trx, now) => claimPolls(trx, ids, { now, holdMs, documents }), touches)
      return { polls, more: ids.length === limit }
    },
    nextPollIn: async () => readNextPollIn(db, { now: await storage.now(db) }),
    async recordPoll({ resourceId, newestEventId }, result) {
      const fingerprint = await digestKey.readFingerprint()
      return writeTo(resourceId, async (trx, now) => {
        const held = (await readStandings(trx, [{ resourceId }])).get(resourceId)
        if (held === undefined || held.owner !== undefined || held.newestEventId !== newestEventId) return undefined
        if (result.of !== 'changed') {
          await notePolled(trx, resourceId, result, { now })
          return {}
        }
        const [accepted] = await acceptAll(trx, [result.event], {
          seal,
          now,
          findKnown: storage.findKnown,
          fingerprint,
        })
        // acceptAll answers one result for each delivery, and got one.
        const { eventId, traceId } = accepted as Accepted
        // It is current, as the event stored with it only tells of it.
        const note = { ...result.snapshot, eventId }
        await saveSnapshots(trx, [{ token: { resourceId }, held, note }], { now, documents, seal })
        return { traceId }
      })
    },
    async pollSoon(since) {
      await commits.write((trx) => forgetUnreadable(trx))
      let count = 0
      for (let cursor: string | undefined = ''; cursor !== undefined;) {
        // Read outside the write path, in small steps, with a turn of the event loop between them: a commit waits for one of them at most.
        await nextTurn()
        const step = await findUnsettled(db, cursor, since)
        const { ids } = step
        if (ids.length > 0)
          await commits.write(
            (trx, now) => pollNow(trx, ids, { now }),
            () => ids,
          )
        count += ids.length
        cursor = step.cursor
      }
      return count
    },
  }
}
