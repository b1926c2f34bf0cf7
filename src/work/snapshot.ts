import type { Api } from '../service/client/client.ts'
import { PawlError } from '../base/errors.ts'
import { type Document, readDocument } from '../ledger/sealing/documents.ts'
import type { Claim } from '../ledger/hot/claims.ts'
import type { Claims } from '../ledger/hot/create-claims.ts'
import type { Intake } from '../ledger/hot/create-intake.ts'
import type { Pollable } from '../ledger/hot/polls.ts'
import { readFields } from '../service/schemas/kinds.ts'
import { isSameState } from '../service/schemas/same-state.ts'
import type { Journal } from './journal.ts'
import type { ErrorBeforeHandlers } from '../ledger/hot/waiting-errors.ts'
import { latestOutreach } from './latest-outreach.ts'
import { ownEvent } from './own-event.ts'
import { readAnew, type ReadAnewDeps } from './read-anew.ts'

/** The API does not know a resource yet that its webhook reported a moment ago: retried. */
export class NotFoundYet extends PawlError {
  readonly code = 'not_found_yet' satisfies ErrorBeforeHandlers
  override readonly retry = 'backoff'
}

/** How long after the event a 404 counts as lag. */
const notFoundYetMs = 15 * 60_000

export interface SnapshotDeps extends Omit<ReadAnewDeps, 'ask'> {
  ledger: Pick<Claims, 'bodies'> & Pick<Intake, 'accept' | 'noteDrift'>
  api: Pick<Api, 'readSnapshot'>
  /** Called with the milliseconds until the next poll once that is durable. */
  wakePollerIn: (delayMs: number) => void
}

/** The resource's state as of the newest event: the stored snapshot if its GET began after that event was stored, else a new GET (docs/design.md, rule 5). `anew` forces the GET. Throws ApiError, `NotFoundYet`, `SnapshotOfAnother`, `SealBroken`. */
export async function readCurrentSnapshot(
  claim: Claim,
  journal: Pick<Journal, 'add'>,
  deps: SnapshotDeps,
  { signal, anew = false }: { signal: AbortSignal; anew?: boolean },
): Promise<unknown> {
  const { kind, resourceId, newestEventId } = claim
  const { ledger, wakePollerIn } = deps
  const stored =
    claim.snapshot !== undefined && claim.snapshot.eventId >= newestEventId ? claim.snapshot.document : undefined
  if (stored !== undefined && !anew) return readDocument(stored)
  const answer = await readAnew(
    {
      resourceId,
      kind,
      snapshot: claim.snapshot?.document,
      wasTerminal: claim.terminal && claim.snapshot !== undefined,
      webhook: newestWebhook(claim),
      ageMs: claim.claimedAt - claim.firstEventAt,
    },
    { ...deps, ask: () => ask(claim, deps, signal) },
  )
  const { data } = answer
  // Without an event, handlers in sync with the stored snapshot would miss the change.
  if (isUnannounced(claim, stored, data))
    await ledger.accept(ownEvent({ resourceId, kind, source: 'poll', title: 'Found by reading anew' }))
  const note = answer.toNote()
  const before = claim.snapshot?.document
  const isAsStored = before !== undefined && 'text' in before && before.text === note.text
  journal.add({ ...note, text: isAsStored ? undefined : note.text, eventId: newestEventId }, () => {
    if (note.pollInMs !== undefined) wakePollerIn(note.pollInMs)
  })
  return data
}

/** Outreach attempts have no GET: their webhooks tell their state. */
async function ask(claim: Claim, { ledger, api }: SnapshotDeps, signal: AbortSignal): Promise<unknown> {
  const { kind, resourceId } = claim
  if (kind === 'provider_outreach') return latestOutreach(await ledger.bodies(resourceId))
  try {
    return await api.readSnapshot(kind, resourceId, { signal, mayNotExist: isNamedByHand(claim) })
  } catch (error) {
    if (!isNotFoundYet(error, claim)) throw error
    const message = `The service does not know ${resourceId} yet, though its webhook reported it.`
    throw new NotFoundYet(message, { cause: error })
  }
}

/** Whether the answer shows a change without an event: any change if no event is newer than the snapshot, else a changed status whose status event was lost or is on its way. */
function isUnannounced({ kind, snapshot, events }: Claim, stored: Document | undefined, data: unknown): boolean {
  if (kind === 'provider_outreach') return false
  if (stored !== undefined) return !isSameState(data, readDocument(stored))
  if (snapshot === undefined || 'broken' in snapshot.document) return false
  const newer = events.filter(({ id }) => id > snapshot.eventId)
  // Events for all handlers, and status events, report it.
  const isAnnounced = newer.some(({ type, source }) => source !== 'webhook' || type === `${kind}.status_change`)
  return (
    newer.length > 0 &&
    !isAnnounced &&
    readFields(data, kind).status !== readFields(readDocument(snapshot.document), kind).status
  )
}

function isNotFoundYet(error: unknown, claim: Claim): boolean {
  const newest = claim.events.at(-1)
  if (!(error instanceof PawlError) || error.code !== 'api_not_found' || newest === undefined) return false
  return !isNamedByHand(claim) && claim.claimedAt - newest.receivedAt < notFoundYetMs
}

/** Whether a person named the resource last, and so may have mistyped it. */
function isNamedByHand({ events }: Claim): boolean {
  return events.at(-1)?.source === 'cli'
}

function newestWebhook(claim: Claim): Pollable['webhook'] {
  const newest = claim.events.find(({ id }) => id === claim.newestEventId)
  return newest && { body: claim.newestBody, ageMs: claim.claimedAt - newest.receivedAt }
}
