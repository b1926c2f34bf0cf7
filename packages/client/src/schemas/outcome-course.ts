/** Results of a PA or BV, in pawl's own words. */
export type Result =
  'approved' | 'denied' | 'not_required' | 'not_submitted' | 'completed' | 'other' | 'failed' | 'cancelled'

/** How far a PA or BV is, for the report: codes and times, nothing of the patient. */
export interface Course {
  status: string
  /** Present once it has ended. */
  result?: Result | undefined
  /** `outcome.detail_code` of the service. */
  reason?: string | undefined
  isAppeal?: boolean | undefined
  /** Whether `priority` is 0 or 1, which charts receive as `stat` and `urgent`. */
  isUrgent?: boolean | undefined
  transfer?:
    { status: string; hasEnded: boolean; startedAt?: number | undefined; confirmedAt?: number | undefined } | undefined
}

/** Whether the PA is with the payer (specification, States). */
export function isSubmitted(status: string): boolean {
  return status === 'awaiting_outcome' || status === 'validating_outcome'
}

/** Whether the status precedes any decision. */
export function isBeginning(status: string): boolean {
  return status === 'created' || status === 'processing' || status === 'pending'
}

/** The party that must act on a PA in this status, if any: the reviewing practice, or the provider. */
export function waitsFor(status: string): 'practice' | 'provider' | undefined {
  if (status === 'awaiting_review') return 'practice'
  return status === 'awaiting_provider_response' ? 'provider' : undefined
}

/** Whether the outcome proves a submission to the payer, even if pawl saw no submitted status. An existing PA was not submitted again. */
export function showsSubmission(result: Result, reason: string | undefined): boolean {
  return (result === 'approved' || result === 'denied') && !reason?.startsWith('existing_')
}
