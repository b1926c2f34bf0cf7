import { isTerminal, readFields, type ResourceKind } from 'pawl-client/schemas/kinds'
import { isFillable } from 'pawl-client/schemas/outcome'
import { isTransferEnded } from 'pawl-client/schemas/prior-authorization'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Older resources are polled less often; polls end after the last row. */
const pace = [
  { untilAgeMs: hourMs, everyMs: 10 * minuteMs },
  { untilAgeMs: dayMs, everyMs: hourMs },
  { untilAgeMs: 14 * dayMs, everyMs: 6 * hourMs },
  { untilAgeMs: 90 * dayMs, everyMs: dayMs },
] as const

/** Milliseconds until the next poll (docs/design.md, rule 9); `undefined` for a resource that is settled or too old. */
export function pollDelayMs(kind: ResourceKind, data: unknown, ageMs: number): number | undefined {
  if (kind === 'provider_outreach' || isSettled(kind, data)) return undefined
  return pace.find(({ untilAgeMs }) => ageMs < untilAgeMs)?.everyMs
}

/** A completed PA can still change: its prescription transfer runs after the approval, or once no PA proved necessary (specification, States). */
function isSettled(kind: ResourceKind, data: unknown): boolean {
  const { status, outcome, prescription_transfer: transfer, ndp_submission: submission } = readFields(data, kind)
  if (!isTerminal(kind, status)) return false
  if (transfer !== undefined) return isTransferEnded(transfer.status)
  return submission === undefined || status !== 'completed' || !isFillable(outcome)
}
