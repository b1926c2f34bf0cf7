import type { Api } from 'pawl-client/api/client'
import { PawlError } from '@pawl/base/errors'
import { type Document, readDocument } from '@pawl/ledger/sealing/documents'
import type { Claim } from '@pawl/ledger/hot/claim'
import type { Claims } from '@pawl/ledger/hot/create-claims'
import type { Intake } from '@pawl/ledger/hot/accept'
import type { Pollable } from '@pawl/ledger/hot/polls'
import { readFields, isTerminal, type ResourceKind } from 'pawl-client/schemas/kinds'
import { isSameState } from 'pawl-client/schemas/same-state'
import type { ClaimNotes } from './claim-notes.ts'
import type { ErrorBeforeHandlers } from '@pawl/ledger/hot/waiting-errors'
import { Envelope } from 'pawl-client/schemas/envelope'
import { latestOutreach } from './latest-outreach.ts'
import { ownEvent } from './own-event.ts'
import type { Clock } from '@pawl/base/clock'
import type { Log } from '@pawl/base/log'
import type { SnapshotFacts, SnapshotNote } from '@pawl/ledger/hot/notes'
import { describeChange, readCodes } from 'pawl-client/schemas/describe-change'
import type { NoteDrift } from 'pawl-client/events/drift-seen'
import { findUnknown } from 'pawl-client/schemas/drift'
import { readIdentifiers } from 'pawl-client/schemas/identifiers'
import { readOutcomeFacts } from 'pawl-client/schemas/outcome-facts'
import { readPersonWait } from 'pawl-client/schemas/waits-for-people'
import { pollDelayMs } from './poll/pace.ts'

/** The API does not yet know a resource that its webhook just reported: retried. */
export class NotFoundYet extends PawlError {
  readonly code = 'not_found_yet' satisfies ErrorBeforeHandlers
  override readonly retry = 'backoff'
}

/** How long after the event a 404 counts as lag. */
const notFoundYetMs = 15 * 60_000

export interface SnapshotDeps extends Omit<ReadAnewDeps, 'ask'> {
  ledger: Pick<Claims, 'bodies'> & Pick<Intake, 'accept'>
  api: Pick<Api, 'readSnapshot'>
  /** Called with the milliseconds until the next poll, once that is durable. */
  wakePollerIn: (delayMs: number) => void
}

/** The resource's state as of the newest event. Uses the stored snapshot if its GET began after that event was stored, else a new GET (docs/design.md, rule 5). `anew` forces the GET. Throws ApiError, `NotFoundYet`, `SnapshotOfAnother`, `SealBroken`. */
export async function readCurrentSnapshot(
  claim: Claim,
  claimNotes: Pick<ClaimNotes, 'add'>,
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
  claimNotes.add({ ...note, text: isAsStored ? undefined : note.text, eventId: newestEventId }, () => {
    if (note.pollInMs !== undefined) wakePollerIn(note.pollInMs)
  })
  return data
}

/** Outreach attempts have no GET: their webhooks carry their state. */
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

/** Whether the answer shows a change without an event. If no event is newer than the snapshot, any change counts; else only a changed status whose status event was lost or is on its way. */
function isUnannounced({ kind, snapshot, events }: Claim, stored: Document | undefined, data: unknown): boolean {
  if (kind === 'provider_outreach') return false
  if (stored !== undefined) return !isSameState(data, readDocument(stored))
  if (snapshot === undefined || 'broken' in snapshot.document) return false
  const newer = events.filter(({ id }) => id > snapshot.eventId)
  // Events for all handlers, and status events, report a changed status.
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

/** The GET of one resource returned the data of another, which must not reach a system under this id. */
export class SnapshotOfAnother extends PawlError {
  readonly code = 'snapshot_of_another' satisfies ErrorBeforeHandlers
  override readonly retry = 'backoff'
}

/** The ledger's knowledge of a resource that is read from the service. */
export interface KnownResource {
  resourceId: string
  kind: ResourceKind
  snapshot: Document | undefined
  /** Whether the snapshot has a terminal status. */
  wasTerminal: boolean
  /** The newest webhook, if it may be ahead of the API. */
  webhook: Pollable['webhook']
  ageMs: number
}

export interface ReadAnewDeps {
  /** Reads the resource's state from the service. */
  ask: () => Promise<unknown>
  noteDrift: NoteDrift
  clock: Clock
  log: Log
}

/** The service's answer, or the stored snapshot if the service went back to an older state. */
export interface Answer {
  data: unknown
  goesBack: boolean
  /** Milliseconds until the next poll; undefined when none is due. */
  pollInMs: number | undefined
  /** The snapshot to record. */
  toNote(): Omit<SnapshotNote, 'eventId'> & { text: string; facts: SnapshotFacts }
}

/** Reads from the service and compares its answer with the ledger, for claims and polls alike. Records the answer's unknown names. Throws the errors of `ask`, `SnapshotOfAnother`, `SealBroken`. */
export async function readAnew(
  { resourceId, kind, snapshot, wasTerminal, webhook, ageMs }: KnownResource,
  { ask, noteDrift, clock, log }: ReadAnewDeps,
): Promise<Answer> {
  const answered = await ask()
  assertIsOf(resourceId, answered)
  noteDrift(findUnknown(kind, answered).map((each) => ({ ...each, resourceId })))
  const { status } = readFields(answered, kind)
  const isEnd = isTerminal(kind, status)
  // Terminal never goes back (rule 7): the API answered from an older copy of its data.
  const goesBack = wasTerminal && !isEnd
  if (goesBack)
    log.warn(
      { resource_id: resourceId, status: readCodes(answered).status },
      'the API went back from a terminal status: kept the terminal one',
    )
  const data = goesBack ? readDocument(snapshot) : answered
  // Activity on an outreach attempt has no webhook of its own for the API to lag behind.
  const lagMs = kind === 'provider_outreach' ? undefined : lagDelayMs(webhook, data)
  const pollInMs = lagMs ?? pollDelayMs(kind, data, ageMs)
  return {
    data,
    goesBack,
    pollInMs,
    toNote() {
      const text = JSON.stringify(data)
      const facts = snapshotFacts(snapshot, { kind, data, text, readAt: clock.now() })
      return { of: 'snapshot', text, terminal: goesBack || isEnd, pollInMs, facts }
    },
  }
}

const minLagMs = 2_000
const maxLagMs = 60_000

/** Milliseconds until the next GET of an API that lags behind its own webhook: 2, 4, 8 … seconds after its arrival, for a minute. `undefined` if both agree or the minute is over. Throws `SealBroken`. */
export function lagDelayMs(
  webhook: { body: Document | undefined; ageMs: number } | undefined,
  data: unknown,
): number | undefined {
  if (webhook === undefined || webhook.ageMs > maxLagMs) return undefined
  const said = Envelope.safeParse(readDocument(webhook.body)).data?.data
  return said === undefined || isSameState(said, data) ? undefined : Math.max(minLagMs, webhook.ageMs)
}

/** Throws `SnapshotOfAnother` if the data has another resource's id. */
function assertIsOf(resourceId: string, data: unknown): void {
  if (typeof data !== 'object' || data === null || !('id' in data) || data.id === resourceId) return
  throw new SnapshotOfAnother(`The service answered for ${resourceId} with the data of another resource.`)
}

/** Facts stored beside a snapshot: its changed fields, identifiers to search by, whether it waits for a person, and figures for the report. */
export function snapshotFacts(
  before: Document | undefined,
  { kind, data, text, readAt }: { kind: ResourceKind; data: unknown; text: string; readAt: number },
): SnapshotFacts {
  const textBefore = before !== undefined && 'text' in before ? before.text : undefined
  // With a broken seal there is nothing to compare, so the history starts over.
  const changes = textBefore === text ? [] : describeChange(textBefore && readDocument(before), data)
  const outcome = readOutcomeFacts(kind, data)
  return {
    readAt,
    changes,
    identifiers: readIdentifiers(data),
    personWait: readPersonWait(kind, data),
    ...(outcome !== undefined && { outcome }),
  }
}
