import { isTerminal, type ResourceKind } from '../resources/kinds.ts'
import { isApproved, PriorAuthorization } from '../resources/prior-authorization.ts'
import { statusOf } from '../work/status-of.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** The older the resource, the rarer the look; after the last row nobody looks any more. */
const pace = [
  { untilAgeMs: hourMs, everyMs: 10 * minuteMs },
  { untilAgeMs: dayMs, everyMs: hourMs },
  { untilAgeMs: 14 * dayMs, everyMs: 6 * hourMs },
  { untilAgeMs: 90 * dayMs, everyMs: dayMs },
] as const

/** A webhook that the API does not agree with is looked into again after this, then after twice as long each time. */
const firstLookAgainMs = 2_000
const lookAgainForMs = minuteMs

/** Milliseconds until a resource that may still change is looked at again without a webhook (docs/design.md, rule 9); `undefined` when it is settled or too old. */
export function pollDelayMs(kind: ResourceKind, resource: unknown, ageMs: number): number | undefined {
  if (kind === 'provider_outreach' || isSettled(kind, resource)) return undefined
  return pace.find(({ untilAgeMs }) => ageMs < untilAgeMs)?.everyMs
}

/** Milliseconds until another look at a resource whose newest webhook said something else than the API: soon, a handful of times. */
export function lookAgainDelayMs(sinceWebhookMs: number): number | undefined {
  return sinceWebhookMs > lookAgainForMs ? undefined : Math.max(firstLookAgainMs, sinceWebhookMs)
}

/** A completed PA can still move: its prescription transfer runs after the approval (specification, States). */
function isSettled(kind: ResourceKind, resource: unknown): boolean {
  if (!isTerminal(kind, statusOf(resource))) return false
  const priorAuthorization = kind === 'prior_authorization' ? PriorAuthorization.safeParse(resource).data : undefined
  const transfer = priorAuthorization?.prescription_transfer
  if (transfer !== undefined) return ['completed', 'cancelled', 'error'].includes(transfer.status ?? '')
  return priorAuthorization?.ndp_submission === undefined || !isApproved(priorAuthorization.outcome)
}
