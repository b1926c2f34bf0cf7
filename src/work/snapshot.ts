import type { Api } from '../service/client/client.ts'
import type { Clock } from '../base/clock.ts'
import { PawlError } from '../base/errors.ts'
import { type Document, readDocument } from '../ledger/sealing/documents.ts'
import type { Claim } from '../ledger/hot/claims.ts'
import type { Claims } from '../ledger/hot/create-claims.ts'
import type { Intake } from '../ledger/hot/create-intake.ts'
import type { Pollable } from '../ledger/hot/polls.ts'
import type { Log } from '../base/log.ts'
import { readCodes } from '../service/schemas/describe-change.ts'
import { isTerminal, type ResourceKind, readFields } from '../service/schemas/kinds.ts'
import { isSameState } from '../service/schemas/same-state.ts'
import type { Journal } from './journal.ts'
import { lagDelayMs } from './lag.ts'
import type { ErrorBeforeHandlers } from '../ledger/hot/waiting-errors.ts'
import { latestOutreach } from './latest-outreach.ts'
import { noteDrift } from './note-drift.ts'
import { ownEvent } from './own-event.ts'
import { snapshotFacts } from './snapshot-facts.ts'

/** The GET of one resource answered with the data of another, which must reach no system under this id. */
export class SnapshotOfAnother extends PawlError {
  readonly code = 'snapshot_of_another' satisfies ErrorBeforeHandlers
  override readonly retry = 'backoff'
}

/** The API does not know a resource yet that its webhook reported a moment ago: retried. */
export class NotFoundYet extends PawlError {
  readonly code = 'not_found_yet' satisfies ErrorBeforeHandlers
  override readonly retry = 'backoff'
}

/** How long after the event a 404 counts as lag. */
const notFoundYetMs = 15 * 60_000

export interface SnapshotDeps {
  ledger: Pick<Claims, 'bodies'> & Pick<Intake, 'accept' | 'noteDrift'>
  api: Pick<Api, 'readSnapshot'>
  /** Milliseconds until a resource with this data and age is polled; `undefined` without polls. */
  pollDelayMs: (kind: ResourceKind, data: unknown, ageMs: number) => number | undefined
  /** Called with the milliseconds until the next poll once that is durable. */
  wakePollerIn: (delayMs: number) => void
  clock: Clock
  log: Log
}

/** The resource's state as of the newest event: the stored snapshot if its GET began after that event was stored, else a new GET (docs/design.md, rule 5). `anew` forces the GET. Throws ApiError, `NotFoundYet`, `SnapshotOfAnother`, `SealBroken`. */
export async function readCurrentSnapshot(
  claim: Claim,
  journal: Pick<Journal, 'add'>,
  { ledger, api, pollDelayMs, wakePollerIn, clock, log }: SnapshotDeps,
  { signal, anew = false }: { signal: AbortSignal; anew?: boolean },
): Promise<unknown> {
  const { kind, resourceId, newestEventId } = claim
  const stored =
    claim.snapshot !== undefined && claim.snapshot.eventId >= newestEventId ? claim.snapshot.document : undefined
  if (stored !== undefined && !anew) return readDocument(stored)
  const answered =
    kind === 'provider_outreach'
      ? latestOutreach(await ledger.bodies(resourceId))
      : await api
          .readSnapshot(kind, resourceId, { signal, mayNotExist: isNamedByHand(claim) })
          .catch((error: unknown) => {
            throw isNotFoundYet(error, claim)
              ? new NotFoundYet(`The service does not know ${resourceId} yet, though its webhook reported it.`, {
                  cause: error,
                })
              : error
          })
  const { data, terminal, pollInMs } = compareAnswer(
    {
      resourceId,
      kind,
      wasTerminal: claim.terminal && claim.snapshot !== undefined,
      readBefore: () => readDocument(claim.snapshot?.document),
      webhook: newestWebhook(claim),
      ageMs: claim.claimedAt - claim.firstEventAt,
    },
    answered,
    { ledger, pollDelayMs, log },
  )
  // Without an event, handlers in sync with the stored snapshot would miss the change.
  if (kind !== 'provider_outreach' && isUnannounced(claim, stored, data))
    await ledger.accept(
      ownEvent({
        resourceId,
        kind,
        eventType: `${kind}.status_change`,
        source: 'poll',
        title: 'Found by reading anew',
      }),
    )
  const text = JSON.stringify(data)
  const facts = snapshotFacts(claim.snapshot?.document, { kind, data, text, readAt: clock.now() })
  const before = claim.snapshot?.document
  const isAsStored = before !== undefined && 'text' in before && before.text === text
  journal.add(
    { of: 'snapshot', text: isAsStored ? undefined : text, eventId: newestEventId, terminal, pollInMs, facts },
    () => {
      if (pollInMs !== undefined) wakePollerIn(pollInMs)
    },
  )
  return data
}

/** Whether the answer shows a change without an event: any change if no event is newer than the snapshot, else a changed status whose status event was lost or is on its way. */
function isUnannounced({ kind, snapshot, events }: Claim, stored: Document | undefined, data: unknown): boolean {
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

/** A resource that the service was asked about, as the ledger knows it. */
export interface KnownResource {
  resourceId: string
  kind: ResourceKind
  /** Whether the stored snapshot has a terminal status. */
  wasTerminal: boolean
  /** The stored snapshot. Throws `SealBroken`. */
  readBefore: () => unknown
  /** The newest webhook, where it may be ahead of the API. */
  webhook: Pollable['webhook']
  ageMs: number
}

/** The service's answer, or the stored snapshot where the service went back to an older state. */
export interface ComparedAnswer {
  data: unknown
  goesBack: boolean
  terminal: boolean
  /** Milliseconds until the next poll; undefined when none is due. */
  pollInMs: number | undefined
}

/** Compares an answer of the service with the ledger, for claims and polls alike, and records unknown names in it. Throws `SnapshotOfAnother`, `SealBroken`. */
export function compareAnswer(
  { resourceId, kind, wasTerminal, readBefore, webhook, ageMs }: KnownResource,
  answered: unknown,
  { ledger, pollDelayMs, log }: Pick<SnapshotDeps, 'pollDelayMs' | 'log'> & { ledger: Pick<Intake, 'noteDrift'> },
): ComparedAnswer {
  assertIsOf(resourceId, answered)
  noteDrift(ledger, { kind, resourceId }, answered)
  const { status } = readFields(answered, kind)
  const isEnd = isTerminal(kind, status)
  // Terminal never goes back (rule 7): the API answered from an older copy of its data.
  const goesBack = wasTerminal && !isEnd
  if (goesBack)
    log.warn(
      { resource_id: resourceId, status: readCodes(answered).status },
      'the API went back from a terminal status: kept the terminal one',
    )
  const data = goesBack ? readBefore() : answered
  // The activity of an outreach has no webhook of its own that the API could lag behind.
  const lagMs = kind === 'provider_outreach' ? undefined : lagDelayMs(webhook, data)
  return { data, goesBack, terminal: goesBack || isEnd, pollInMs: lagMs ?? pollDelayMs(kind, data, ageMs) }
}

/** Throws `SnapshotOfAnother` if the data says that it is another resource's. */
function assertIsOf(resourceId: string, data: unknown): void {
  if (typeof data !== 'object' || data === null || !('id' in data) || data.id === resourceId) return
  throw new SnapshotOfAnother(`The service answered for ${resourceId} with the data of another resource.`)
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
