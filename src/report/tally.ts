import { type OutcomeMoment, outcomeMoments, type OutcomeRecord } from '../ledger/ledger.ts'
import type { Period } from './period.ts'
import type { Span } from './spread.ts'

/** What was counted of some resources so far. */
export interface Tally {
  /** Resources that count for anything. */
  resources: number
  /** Numbers by what they count. */
  counts: Map<string, number>
  /** How long things took, by what they are. */
  spans: Map<string, Span[]>
}

/** Makes one that has counted nothing. */
export function createTally(): Tally {
  return { resources: 0, counts: new Map(), spans: new Map() }
}

/** Counts one resource for what happened to it at this moment of its, which lies in the period. */
export function count(tally: Tally, record: OutcomeRecord, moment: OutcomeMoment, period: Period): void {
  // A resource may come up for several moments: it is one all the same.
  const first = outcomeMoments.find((each) => isWithin(record[each], period))
  if (first === moment) tally.resources += 1
  const { kind, isAppeal } = record
  if (kind === 'benefit_verification') {
    if (moment === 'heardAt') add(tally, 'verifications.requested')
    if (moment === 'endedAt') countVerification(tally, record)
    return
  }
  if (moment === 'heardAt') add(tally, isAppeal ? 'appeals.made' : 'requested')
  if (moment === 'submittedAt' && !isAppeal) add(tally, 'submitted')
  if (moment === 'endedAt') countEnd(tally, record)
  if (moment === 'transferEndedAt') countTransfer(tally, record)
}

/** Adds all that another one counted. */
export function merge(into: Tally, from: Tally): void {
  into.resources += from.resources
  for (const [what, number] of from.counts) add(into, what, number)
  for (const [what, spans] of from.spans) {
    const known = into.spans.get(what) ?? []
    // Too many to be arguments of one call.
    for (const span of spans) known.push(span)
    into.spans.set(what, known)
  }
}

function countEnd(tally: Tally, record: OutcomeRecord): void {
  const { result, reason, isAppeal, endedAt = 0, heardAt, submittedAt, isFromStart, practiceMs, providerMs } = record
  add(tally, `${isAppeal ? 'appeals.ended' : 'ended'}.${result}`)
  if (practiceMs > 0) measure(tally, 'practice', [0, practiceMs])
  if (providerMs > 0) measure(tally, 'provider', [0, providerMs])
  if (isAppeal) return
  if (result === 'denied' || result === 'not_submitted') add(tally, `${result}.${reason ?? 'no_reason'}`)
  if ((result !== 'approved' && result !== 'denied') || !isFromStart) return
  measure(tally, 'fromRequest', [heardAt, endedAt])
  // One that nobody saw with the payer before its outcome says nothing of how long it was there.
  if (submittedAt !== undefined && submittedAt < endedAt) measure(tally, 'fromSubmission', [submittedAt, endedAt])
}

function countTransfer(tally: Tally, record: OutcomeRecord): void {
  const { transferStatus, transferStartedAt, transferEndedAt = 0 } = record
  add(tally, `transfers.${transferStatus}`)
  if (transferStatus === 'completed' && transferStartedAt !== undefined && transferStartedAt <= transferEndedAt)
    measure(tally, 'transfer', [transferStartedAt, transferEndedAt])
}

function countVerification(tally: Tally, { result, isFromStart, heardAt, endedAt = 0 }: OutcomeRecord): void {
  add(tally, `verifications.${result}`)
  if (result === 'completed' && isFromStart) measure(tally, 'verification', [heardAt, endedAt])
}

function isWithin(at: number | undefined, { from, to }: Period): boolean {
  return at !== undefined && at >= from && at < to
}

function add(tally: Tally, what: string, number = 1): void {
  tally.counts.set(what, (tally.counts.get(what) ?? 0) + number)
}

function measure(tally: Tally, what: string, span: Span): void {
  const spans = tally.spans.get(what)
  if (spans === undefined) tally.spans.set(what, [span])
  else spans.push(span)
}
