import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Core } from '../core.ts'
import { acceptAll, type Accepted, askNumbers } from './accept.ts'
import { askResourceStates } from './claimed-states.ts'
import {
  beginReconcile,
  cancelPolls,
  claimPolls,
  findAsked,
  findPollable,
  findUnsettled,
  isReconcileCancelled,
  noteCancelled,
  notePolled,
  pollNow,
  readNextPollIn,
  type PollResult,
  type Pollable,
} from './polls.ts'
import { setJournalHeads } from './journal-rows.ts'
import { recordNotes } from './record-notes.ts'

/** Claims resources due for a poll, and records the answers. */
export interface Polls {
  /** Claims resources due for a poll, each for `holdMs` or until its result is recorded. `more`: others may be waiting. */
  claimPolls(limit: number, holdMs: number): Promise<{ polls: Pollable[]; more: boolean }>
  /** Milliseconds until the next poll of any resource; zero or negative when one is due. */
  nextPollIn(): Promise<number | undefined>
  /** Records a poll's result and its event in one commit, and resolves with the event's trace. `undefined`, with nothing recorded, if a newer event was stored or a worker holds the resource. */
  recordPoll(
    poll: Pick<Pollable, 'resourceId' | 'newestEventId'>,
    result: PollResult,
  ): Promise<{ traceId?: string } | undefined>
  /** Schedules a poll for every resource that may still change, or had an event since then; resolves with their number. */
  pollSoon(since: number): Promise<number>
  /** Cancels these polls: resources not read yet return to their own poll times. Resolves with their number. */
  cancelPolls(): Promise<number>
}

export function createPolls({ db, storage, commits, writeTo, seal, documents, digestKey }: Core): Polls {
  async function cancelAsked(): Promise<number> {
    let count = 0
    for (;;) {
      // In small steps, for the same reason as below.
      await nextTurn()
      const ids = await findAsked(db, { now: await storage.now(db) })
      if (ids.length === 0) return count
      count += await commits.write(
        (trx, now) => cancelPolls(trx, ids, { now }),
        () => ids,
      )
    }
  }

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
        const { answer } = await askResourceStates(trx, [{ resourceId }])
        const held = (await answer).get(resourceId)
        if (held === undefined || held.owner !== undefined || held.newestEventId !== newestEventId) return undefined
        if (result.of !== 'changed') {
          await notePolled(trx, resourceId, result, { now })
          return {}
        }
        const numbers = await askNumbers(trx, [result.event], storage)
        const [accepted] = await acceptAll(trx, [result.event], {
          numbers: await numbers.answer,
          seal,
          now,
          fingerprint,
        })
        // acceptAll returns one result per delivery.
        const { eventId, traceId } = accepted as Accepted
        // Current: the event stored with it only announces it.
        const notes = [{ ...result.snapshot, eventId }]
        const journalIds = await recordNotes(trx, [{ token: { owner: '', newestEventId }, held, notes }], {
          now,
          documents,
          isResumed: () => false,
        })
        await setJournalHeads(trx, journalIds)
        return { traceId }
      })
    },
    async pollSoon(since) {
      await commits.write((trx) => beginReconcile(trx))
      let count = 0
      for (let cursor: number | undefined = 0; cursor !== undefined;) {
        // Read outside the write path, in small steps with a turn of the event loop in between: a commit waits for one step at most.
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
        // Any process may have cancelled: the last step may have come after the others were returned.
        if (await isReconcileCancelled(db)) return count - (await cancelAsked())
      }
      return count
    },
    async cancelPolls() {
      await commits.write((trx, now) => noteCancelled(trx, { now }))
      return cancelAsked()
    },
  }
}
