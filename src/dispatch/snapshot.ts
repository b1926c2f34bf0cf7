import type { Api } from '../api/client.ts'
import { Envelope } from '../events/envelope.ts'
import { readDocument } from '../ledger/documents.ts'
import type { Claim, EventRecord, Ledger } from '../ledger/ledger.ts'
import type { Log } from '../log.ts'
import { isTerminal } from '../resources/kinds.ts'
import { lookAgainDelayMs, pollDelayMs } from './poll-pace.ts'
import { isSameState } from './same-state.ts'
import { statusOf } from './status-of.ts'

export interface SnapshotDeps {
  ledger: Pick<Ledger, 'bodies' | 'body' | 'saveSnapshot'>
  api: Pick<Api, 'readSnapshot'>
  log: Log
}

/** The resource's state as of the newest event: the stored one if its GET began after that event was stored, else a new GET (architecture rule 5). Throws ApiError, ClaimLost, SealBroken. */
export async function readCurrentSnapshot(
  claim: Claim,
  events: readonly EventRecord[],
  { ledger, api, log }: SnapshotDeps,
  signal: AbortSignal,
): Promise<unknown> {
  // Events may have been stored since the claim: a run that covers them needs a GET that began after them, too.
  const newestEventId = Math.max(claim.newestEventId, events.at(-1)?.id ?? 0)
  if (claim.snapshot !== undefined && claim.snapshot.eventId >= newestEventId)
    return readDocument(claim.snapshot.document)
  const { kind, resourceId } = claim
  const answered =
    kind === 'provider_outreach'
      ? latestOutreach(await ledger.bodies(resourceId))
      : await api.readSnapshot(kind, resourceId, { signal })
  const status = statusOf(answered)
  const goesBack = claim.terminal && claim.snapshot !== undefined && !isTerminal(kind, status)
  // Terminal never goes back (rule 7): the API answered from an older copy of its data.
  if (goesBack)
    log.warn({ resource_id: resourceId, status }, 'the API went back from a terminal status: kept the terminal one')
  const data = goesBack ? readDocument(claim.snapshot?.document) : answered
  const snapshot = { text: JSON.stringify(data), eventId: newestEventId }
  await ledger.saveSnapshot(claim, snapshot, {
    terminal: goesBack || isTerminal(kind, status),
    pollInMs: await nextLookMs(claim, events, data, ledger),
  })
  return data
}

/** Soon, when the newest webhook said something else than the API, which may lag behind its own webhooks; else at the pace of its age. */
async function nextLookMs(
  claim: Claim,
  events: readonly EventRecord[],
  data: unknown,
  ledger: Pick<Ledger, 'body'>,
): Promise<number | undefined> {
  const newest = events.at(-1)
  if (newest === undefined || claim.kind === 'provider_outreach') return undefined
  const said = parseBody(await ledger.body(newest.id))?.data
  const agrees = said === undefined || isSameState(said, data)
  const regular = pollDelayMs(claim.kind, data, claim.claimedAt - claim.firstEventAt)
  return agrees ? regular : (lookAgainDelayMs(claim.claimedAt - newest.receivedAt) ?? regular)
}

/** Outreach attempts have no GET: of the payloads, the one that occurred last (the one exception of architecture rule 5). */
function latestOutreach(bodies: readonly { body: Uint8Array }[]): unknown {
  const envelopes = bodies.flatMap(({ body }) => parseBody(body) ?? [])
  // A stable sort: among those that occurred at the same time, the one that came last wins.
  return envelopes.toSorted((a, b) => occurredAt(a) - occurredAt(b)).at(-1)?.data
}

function occurredAt(envelope: Envelope): number {
  return Date.parse(envelope.occurred_at ?? '') || 0
}

function parseBody(body: Uint8Array | undefined): Envelope | undefined {
  return body === undefined ? undefined : Envelope.safeParse(JSON.parse(Buffer.from(body).toString('utf8'))).data
}
