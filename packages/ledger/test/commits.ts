import type { Claim } from '../src/hot/claim.ts'
import type { Note } from '../src/hot/notes.ts'
import type { Ledger } from '../src/ledger.ts'
import { aDelivery } from './a-delivery.ts'

/** A commit of each kind that a delivery and its work need, in their order: each is given the claim of the one before. */
export const commits: Record<string, (ledger: Ledger, claim: Claim) => Promise<Claim | void>> = {
  'the accept of a first event': (ledger) => accept(ledger, 'first'),
  'the accept of an event with an event_id': (ledger) => accept(ledger, 'keyed', 'wh_1'),
  'the accept of a copy': (ledger) => accept(ledger, 'keyed', 'wh_1'),
  'a claim': (ledger) => claimIt(ledger),
  'a record under the claim': (ledger, claim) =>
    ledger.record(claim, [read(claim, 1), { of: 'success', run: runOf(claim) }]),
  'a release with a failure': (ledger, claim) => release(ledger, claim, [read(claim, 2), failure(claim)]),
  'the accept of a later event': (ledger) => accept(ledger, 'later'),
  'a claim with work': (ledger) => claimIt(ledger),
  'a release in sync': (ledger, claim) =>
    release(ledger, claim, [
      read(claim, 3),
      { of: 'success', run: { ...runOf(claim), handler: 'desk' } },
      { of: 'success', run: runOf(claim) },
    ]),
}

async function accept(ledger: Ledger, body: string, eventKey?: string): Promise<void> {
  await ledger.accept(aDelivery({ body, eventKey }))
}

async function claimIt(ledger: Ledger): Promise<Claim> {
  const claim = await ledger.claim('pa_req_1', 600_000, { prior_authorization: ['chart', 'desk'] })
  if (claim === undefined) throw new Error('It is not due.')
  return claim
}

async function release(ledger: Ledger, claim: Claim, notes: readonly Note[]): Promise<void> {
  await ledger.release(claim, { notes, dueInMs: 0, restMs: 0 })
}

function runOf({ newestEventId: lastEventId }: Claim) {
  return { handler: 'chart', startedAt: 1, finishedAt: 2, firstEventId: 1, lastEventId, writes: [] }
}

function read({ newestEventId: eventId }: Claim, n: number): Note {
  const changes = [{ field: 'status', to: `state_${n}` }]
  const facts = { readAt: 1, changes, identifiers: [{ field: 'mrn' as const, value: 'MRN-1' }] }
  return { of: 'snapshot', text: JSON.stringify({ n }), eventId, terminal: false, pollInMs: 60_000, facts }
}

function failure(claim: Claim): Note {
  const error = { code: 'refused', message: 'The chart is locked.' }
  return { of: 'failure', run: { ...runOf(claim), handler: 'desk', error, attempts: 1, delayMs: 0 } }
}
