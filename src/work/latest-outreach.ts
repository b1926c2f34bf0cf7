import { Envelope } from '../service/events/envelope.ts'
import { ProviderOutreach } from '../service/schemas/provider-outreach.ts'

/** States that an attempt, or its sequence, never leaves. The interface names only `sent`, and that an attempt expires or fails (supplement, Webhooks); a state that is not listed counts as one that may still change. */
const terminalStates: readonly string[] = ['responded', 'expired', 'failed', 'cancelled', 'completed', 'exhausted']

/** Outreach attempts have no GET: of the payloads, the one that occurred last (the one exception of rule 5). Of those that occurred at the same time, the one that is further on, however late the other came; else the one that came last. */
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

/** How far an attempt is: the end of its sequence comes with or after its own, and both after what was sent. */
function progressOf(data: unknown): number {
  const attempt = ProviderOutreach.safeParse(data).data
  const isTerminal = (state: unknown) => typeof state === 'string' && terminalStates.includes(state)
  if (isTerminal(attempt?.state)) return isTerminal(attempt?.outreach_sequence_state) ? 3 : 2
  return attempt?.transmission === undefined ? 0 : 1
}
