import { readCodes } from 'pawl-client/schemas/describe-change'
import type { Story } from '../contract/story.ts'
import type { History } from '@pawl/ledger/views/read-history'
import { toIso } from './to-iso.ts'

/** Current state of a resource, and of each handler. */
export function standingOf({ resource, progress }: History): Omit<Story, 'entries' | 'before'> {
  const { snapshot, lastEventAt, snapshotAt, dueAt, nextPollAt } = resource
  return {
    id: resource.id,
    kind: resource.kind,
    ...statusOf(snapshot),
    isTerminal: resource.terminal,
    knownSince: toIso(resource.firstEventAt),
    ...(lastEventAt !== undefined && { lastEventAt: toIso(lastEventAt) }),
    ...(snapshotAt !== undefined && { readAt: toIso(snapshotAt) }),
    reads: resource.reads,
    ...(dueAt !== undefined && { dueAt: toIso(dueAt) }),
    ...(nextPollAt !== undefined && { nextPollAt: toIso(nextPollAt) }),
    isInWork: resource.isClaimed,
    handlers: progress.map(({ handler, state, attempts, dueAt: nextAt, parkedAt, error }) => ({
      handler,
      state,
      attempts,
      ...(nextAt !== undefined && { nextAt: toIso(nextAt) }),
      ...(parkedAt !== undefined && { parkedAt: toIso(parkedAt) }),
      ...(error && { error }),
    })),
  }
}

/** The service's status of a resource, and the codes of its outcome, of its snapshot as JSON: codes only, nothing of a patient. An outreach attempt calls its status `state`. */
export function statusOf(snapshot: string | undefined): Pick<Story, 'status' | 'outcome'> {
  const codes = snapshot === undefined ? {} : readCodes(JSON.parse(snapshot))
  const status = codes.status ?? codes.state
  const outcome = ['outcome.result', 'outcome.detail_code', 'error.code', 'error.detail_code']
  return { ...(status !== undefined && { status }), outcome: outcome.flatMap((field) => codes[field] ?? []) }
}
