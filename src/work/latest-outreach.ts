import { Envelope } from 'pawl-client/schemas/envelope'
import { ProviderOutreach } from 'pawl-client/schemas/provider-outreach'

/** Terminal states of an attempt or its sequence. The interface names only `sent`, and that an attempt expires or fails (supplement, Webhooks); an unlisted state counts as not terminal. */
const terminalStates: readonly string[] = ['responded', 'expired', 'failed', 'cancelled', 'completed', 'exhausted']

/** Outreach attempts have no GET, so the payload that occurred last counts (the one exception of rule 5). Ties go to the more advanced state, then to the later arrival. */
export function latestOutreach(bodies: readonly { body: Uint8Array }[]): unknown {
  const envelopes = bodies.flatMap(
    ({ body }) => Envelope.safeParse(JSON.parse(Buffer.from(body).toString('utf8'))).data ?? [],
  )
  // The sort is stable.
  return envelopes.toSorted((a, b) => occurredAt(a) - occurredAt(b) || progressOf(a.data) - progressOf(b.data)).at(-1)
    ?.data
}

function occurredAt(envelope: Envelope): number {
  return Date.parse(envelope.occurred_at ?? '') || 0
}

/** Rank of a state: sent, then the end of the attempt, then the end of its sequence. */
function progressOf(data: unknown): number {
  const attempt = ProviderOutreach.safeParse(data).data
  const isTerminal = (state: unknown) => typeof state === 'string' && terminalStates.includes(state)
  if (isTerminal(attempt?.state)) return isTerminal(attempt?.outreach_sequence_state) ? 3 : 2
  return attempt?.transmission === undefined ? 0 : 1
}
