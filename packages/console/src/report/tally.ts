import type { Period } from './period.ts'
import { isWithin24Hours, isWithin72Hours, isWithin7Days, type Span } from './spread.ts'
import type { OutcomeRecord } from '@pawl/ledger/views/list-outcomes'

/** Counts and durations of a set of resources. */
export interface Tally {
  /** Resources with at least one count. */
  resources: number
  /** Counts by name. */
  counts: Map<string, number>
  /** Durations in milliseconds, by name. */
  durations: Map<string, number[]>
}

export function createTally(): Tally {
  return { resources: 0, counts: new Map(), durations: new Map() }
}

/** Counts one resource with its events in the period. */
export function count(tally: Tally, record: OutcomeRecord, period: Period): void {
  tally.resources += 1
  const { kind, isAppeal } = record
  const happened = (at: number | undefined) => at !== undefined && at >= period.from && at < period.to
  if (kind === 'benefit_verification') {
    if (happened(record.heardAt)) add(tally, 'verifications.requested')
    if (happened(record.endedAt)) countVerification(tally, record)
    return
  }
  if (happened(record.heardAt)) add(tally, isAppeal ? 'appeals.made' : 'requested')
  if (happened(record.submittedAt) && !isAppeal) add(tally, 'submitted')
  if (happened(record.endedAt)) countEnd(tally, record)
  if (happened(record.transferEndedAt)) countTransfer(tally, record)
}

/** Adds another tally. */
export function merge(into: Tally, from: Tally): void {
  into.resources += from.resources
  for (const [what, number] of from.counts) add(into, what, number)
  for (const [what, durations] of from.durations) for (const each of durations) measure(into, what, each)
}

function countEnd(tally: Tally, record: OutcomeRecord): void {
  const { result, reason, isAppeal, endedAt = 0, heardAt, submittedAt, isFromStart, practiceMs, providerMs } = record
  const urgency = record.isUrgent ? 'urgent' : 'standard'
  add(tally, `${isAppeal ? 'appeals.ended' : 'ended'}.${result}`)
  if (practiceMs > 0) measure(tally, 'practice', practiceMs)
  if (providerMs > 0) measure(tally, 'provider', providerMs)
  if (isAppeal) return
  if (result === 'denied' || result === 'not_submitted') add(tally, `${result}.${reason ?? 'no_reason'}`)
  if (result !== 'approved' && result !== 'denied') return
  add(tally, `${urgency}.${result}`)
  if (!isFromStart) return
  measureTurnaround(tally, 'fromRequest', [heardAt, endedAt])
  // Without a submission seen before the outcome, the payer's time is unknown.
  if (submittedAt === undefined || submittedAt >= endedAt) return
  measureTurnaround(tally, 'fromSubmission', [submittedAt, endedAt])
  measureTurnaround(tally, urgency, [submittedAt, endedAt])
}

function countTransfer(tally: Tally, record: OutcomeRecord): void {
  const { transferStatus, transferStartedAt, transferEndedAt = 0 } = record
  add(tally, `transfers.${transferStatus}`)
  if (transferStatus === 'completed' && transferStartedAt !== undefined && transferStartedAt <= transferEndedAt)
    measure(tally, 'transfer', transferEndedAt - transferStartedAt)
}

function countVerification(tally: Tally, { result, isFromStart, heardAt, endedAt = 0 }: OutcomeRecord): void {
  add(tally, `verifications.${result}`)
  if (result === 'completed' && isFromStart) measure(tally, 'verification', endedAt - heardAt)
}

function add(tally: Tally, what: string, number = 1): void {
  tally.counts.set(what, (tally.counts.get(what) ?? 0) + number)
}

function measure(tally: Tally, what: string, durationMs: number): void {
  const durations = tally.durations.get(what)
  if (durations === undefined) tally.durations.set(what, [durationMs])
  else durations.push(durationMs)
}

function measureTurnaround(tally: Tally, what: string, span: Span): void {
  measure(tally, what, span[1] - span[0])
  if (isWithin24Hours(span)) add(tally, `${what}.within24Hours`)
  if (isWithin72Hours(span)) add(tally, `${what}.within72Hours`)
  if (isWithin7Days(span)) add(tally, `${what}.within7Days`)
}
