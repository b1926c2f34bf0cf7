import type { Api } from '../api/client.ts'
import { Envelope } from '../events/envelope.ts'
import { readDocument } from '../ledger/documents.ts'
import type { Claim, Ledger } from '../ledger/ledger.ts'
import type { Log } from '../log.ts'
import { isTerminal } from '../resources/kinds.ts'
import { lookAgainDelayMs, pollDelayMs } from '../poll/pace.ts'
import { isSameState } from './same-state.ts'
import type { Journal } from './journal.ts'
import { statusOf } from './status-of.ts'

export interface SnapshotDeps {
  ledger: Pick<Ledger, 'bodies'>
  api: Pick<Api, 'readSnapshot'>
  log: Log
}

/** The resource's state as of the newest event: the stored one if its GET began after that event was stored, else a new GET (docs/design.md, rule 5). Throws ApiError, SealBroken. */
export async function readCurrentSnapshot(
  claim: Claim,
  journal: Pick<Journal, 'add'>,
  { ledger, api, log }: SnapshotDeps,
  signal: AbortSignal,
): Promise<unknown> {
  const { kind, resourceId, newestEventId } = claim
  if (claim.snapshot !== undefined && claim.snapshot.eventId >= newestEventId)
    return readDocument(claim.snapshot.document)
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
  journal.add({
    of: 'snapshot',
    text: JSON.stringify(data),
    eventId: newestEventId,
    terminal: goesBack || isTerminal(kind, status),
    pollInMs: nextLookMs(claim, data),
  })
  return data
}

/** Soon, when the newest webhook said something else than the API, which may lag behind its own webhooks; else at the pace of its age. */
function nextLookMs(claim: Claim, data: unknown): number | undefined {
  const newest = claim.events.find(({ id }) => id === claim.newestEventId)
  if (newest === undefined || claim.kind === 'provider_outreach') return undefined
  const said = Envelope.safeParse(readDocument(claim.newestBody)).data?.data
  const agrees = said === undefined || isSameState(said, data)
  const regular = pollDelayMs(claim.kind, data, claim.claimedAt - claim.firstEventAt)
  return agrees ? regular : (lookAgainDelayMs(claim.claimedAt - newest.receivedAt) ?? regular)
}

/** Outreach attempts have no GET: of the payloads, the one that occurred last (the one exception of rule 5). */
function latestOutreach(bodies: readonly { body: Uint8Array }[]): unknown {
  const envelopes = bodies.flatMap(
    ({ body }) => Envelope.safeParse(JSON.parse(Buffer.from(body).toString('utf8'))).data ?? [],
  )
  // A stable sort: among those that occurred at the same time, the one that came last wins.
  return envelopes.toSorted((a, b) => occurredAt(a) - occurredAt(b)).at(-1)?.data
}

function occurredAt(envelope: Envelope): number {
  return Date.parse(envelope.occurred_at ?? '') || 0
}
