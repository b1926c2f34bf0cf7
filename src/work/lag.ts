import { Envelope } from 'pawl-client/schemas/envelope'
import { readDocument, type Document } from '@pawl/ledger/sealing/documents'
import { isSameState } from 'pawl-client/schemas/same-state'

const minDelayMs = 2_000
const maxLagMs = 60_000

/** Milliseconds until the next GET of an API that lags behind its own webhook: 2, 4, 8 … seconds after its arrival, for a minute. `undefined` if both agree or the minute is over. Throws `SealBroken`. */
export function lagDelayMs(
  webhook: { body: Document | undefined; ageMs: number } | undefined,
  data: unknown,
): number | undefined {
  if (webhook === undefined || webhook.ageMs > maxLagMs) return undefined
  const said = Envelope.safeParse(readDocument(webhook.body)).data?.data
  return said === undefined || isSameState(said, data) ? undefined : Math.max(minDelayMs, webhook.ageMs)
}
