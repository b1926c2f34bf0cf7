import type { Api } from '../service/client/client.ts'
import type { Clock } from '../base/clock.ts'
import { PawlError } from '../base/errors.ts'
import { readDocument, type Document } from '../ledger/sealing/documents.ts'
import { statusForLog } from './change-for-log.ts'
import type { Log } from '../base/log.ts'
import { isTerminal, type ResourceKind, readFields } from '../service/schemas/kinds.ts'
import { isSameState } from '../service/schemas/same-state.ts'
import type { Journal } from './journal.ts'
import { lagDelayMs } from './lag.ts'
import { latestOutreach } from './latest-outreach.ts'
import { noteDrift } from './note-drift.ts'
import { ownEvent } from './own-event.ts'
import { snapshotFacts } from './snapshot-facts.ts'
import type { Claim } from '../ledger/hot/claims.ts'
import type { Claims } from '../ledger/hot/create-claims.ts'
import type { Intake } from '../ledger/hot/create-intake.ts'

/** The GET of one resource answered with another one's data, which must not reach any system under this name. */
export class SnapshotOfAnother extends PawlError {
  readonly code = 'snapshot_of_another'
  override readonly retry = 'backoff'
}

/** The API does not know a resource that its own webhook told of a moment ago: it lags behind, and is asked again. */
export class NotFoundYet extends PawlError {
  readonly code = 'not_found_yet'
  override readonly retry = 'backoff'
}

/** How long after the event the API may say that a resource does not exist before that is final. */
const notFoundYetMs = 15 * 60_000

export interface SnapshotDeps {
  ledger: Pick<Claims, 'bodies'> & Pick<Intake, 'accept' | 'noteDrift'>
  api: Pick<Api, 'readSnapshot'>
  /** Milliseconds until a resource that looks like this and is so old is polled; `undefined` when it need not be. */
  pollDelayMs: (kind: ResourceKind, data: unknown, ageMs: number) => number | undefined
  /** Told, once that is durable, when the resource is to be polled. */
  wakePollerIn: (delayMs: number) => void
  clock: Clock
  log: Log
}

/** The resource's state as of the newest event: the stored one if its GET began after that event was stored, else a new GET (docs/design.md, rule 5); always a new GET for `anew`. Throws ApiError, `NotFoundYet`, `SnapshotOfAnother`, `SealBroken`. */
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
      : await api.readSnapshot(kind, resourceId, { signal }).catch((error: unknown) => {
          throw isNotFoundYet(error, claim)
            ? new NotFoundYet(`The service does not know ${resourceId} yet, though it told of it.`, { cause: error })
            : error
        })
  assertIsOf(resourceId, answered)
  noteDrift(ledger, claim, answered)
  const status = readFields(answered, kind).status
  const goesBack = claim.terminal && claim.snapshot !== undefined && !isTerminal(kind, status)
  // Terminal never goes back (rule 7): the API answered from an older copy of its data.
  if (goesBack)
    log.warn(
      { resource_id: resourceId, status: statusForLog(status) },
      'the API went back from a terminal status: kept the terminal one',
    )
  const data = goesBack ? readDocument(claim.snapshot?.document) : answered
  const pollInMs = lagDelay(claim, data) ?? pollDelayMs(kind, data, claim.claimedAt - claim.firstEventAt)
  const isEnded = goesBack || isTerminal(kind, status)
  // Handlers that are in step with the stored one would not hear of what changed since: no event told of it.
  if (kind !== 'provider_outreach' && isUntold(claim, stored, data))
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
  journal.add({ of: 'snapshot', text, eventId: newestEventId, terminal: isEnded, pollInMs, facts }, () => {
    if (pollInMs !== undefined) wakePollerIn(pollInMs)
  })
  return data
}

/** Whether the answer holds a change that no event told of: any at all where nothing newer was stored, else another status without a status event, which was lost or is on its way. */
function isUntold({ kind, snapshot, events }: Claim, stored: Document | undefined, data: unknown): boolean {
  if (stored !== undefined) return !isSameState(data, readDocument(stored))
  if (snapshot === undefined || 'broken' in snapshot.document) return false
  const newer = events.filter(({ id }) => id > snapshot.eventId)
  // What is for all handlers, or tells of a status itself, tells of it.
  const isTold = newer.some(({ type, source }) => source !== 'webhook' || type === `${kind}.status_change`)
  return (
    newer.length > 0 &&
    !isTold &&
    readFields(data, kind).status !== readFields(readDocument(snapshot.document), kind).status
  )
}

/** Throws `SnapshotOfAnother` if the data says that it is another resource's. */
export function assertIsOf(resourceId: string, data: unknown): void {
  if (typeof data !== 'object' || data === null || !('id' in data) || data.id === resourceId) return
  throw new SnapshotOfAnother(`The service answered for ${resourceId} with the data of another resource.`)
}

function isNotFoundYet(error: unknown, claim: Claim): boolean {
  const newest = claim.events.at(-1)
  if (!(error instanceof PawlError) || error.code !== 'api_not_found' || newest === undefined) return false
  // What somebody named by hand may well not exist.
  return newest.source !== 'cli' && claim.claimedAt - newest.receivedAt < notFoundYetMs
}

function lagDelay(claim: Claim, data: unknown): number | undefined {
  const newest = claim.events.find(({ id }) => id === claim.newestEventId)
  if (newest === undefined || claim.kind === 'provider_outreach') return undefined
  return lagDelayMs({ body: claim.newestBody, ageMs: claim.claimedAt - newest.receivedAt }, data)
}
