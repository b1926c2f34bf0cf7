import type { Figures } from './report.ts'
import type { Spread } from './spread.ts'

/** One figure: its name, reason, and value in this unit; no value if there is none. */
export interface Line {
  figure: string
  reason?: string
  value: number | null
  unit: 'resources' | 'share' | 'hours'
}

const hourMs = 3_600_000

/** All figures, in display order. */
export function linesOf(figures: Figures): Line[] {
  const { ended, appeals, transfers, verifications } = figures
  const turnaround = (name: string, of: Figures['turnaroundFromRequest']) => [
    ...spread(name, of),
    share(`${name}_within_72_hours`, of.within72Hours),
    share(`${name}_within_7_days`, of.within7Days),
  ]
  const decided = (name: string, hours: number, of: Figures['urgent']) => [
    number(`${name}_approved`, of.approved),
    number(`${name}_denied`, of.denied),
    share(`${name}_approved_share`, of.approvedShare),
    ...spread(`${name}_turnaround`, of),
    share(`${name}_within_${hours}_hours`, of.withinClock),
  ]
  return [
    number('resources', figures.resources),
    number('requested', figures.requested),
    number('submitted', figures.submitted),
    number('approved', ended.approved),
    number('denied', ended.denied),
    share('approved_share', figures.approvedShare),
    number('not_required', ended.notRequired),
    number('not_submitted', ended.notSubmitted),
    number('ended_otherwise', ended.other),
    number('failed', ended.failed),
    number('cancelled', ended.cancelled),
    ...reasons('denied_by_reason', figures.deniedByReason),
    ...reasons('not_submitted_by_reason', figures.notSubmittedByReason),
    ...turnaround('turnaround_from_submission', figures.turnaroundFromSubmission),
    ...turnaround('turnaround_from_request', figures.turnaroundFromRequest),
    ...decided('urgent', 24, figures.urgent),
    ...decided('standard', 72, figures.standard),
    ...spread('waiting_for_practice', figures.waitingForPractice),
    ...spread('waiting_for_provider', figures.waitingForProvider),
    number('appeals_made', appeals.made),
    number('appeals_approved', appeals.approved),
    number('appeals_denied', appeals.denied),
    number('appeals_ended_otherwise', appeals.endedOtherwise),
    share('appeals_approved_share', appeals.approvedShare),
    number('transfers_completed', transfers.completed),
    number('transfers_failed', transfers.failed),
    number('transfers_cancelled', transfers.cancelled),
    share('transfers_completed_share', transfers.completedShare),
    ...spread('transfer_time', transfers.time),
    number('verifications_requested', verifications.requested),
    number('verifications_completed', verifications.completed),
    number('verifications_failed', verifications.failed),
    number('verifications_cancelled', verifications.cancelled),
    ...spread('verification_turnaround', verifications.turnaround),
  ]
}

function number(figure: string, value: number): Line {
  return { figure, value, unit: 'resources' }
}

function share(figure: string, value: number | null): Line {
  return { figure, value: value === null ? null : round(value, 4), unit: 'share' }
}

function reasons(figure: string, byReason: Readonly<Record<string, number>>): Line[] {
  return Object.entries(byReason).map(([reason, value]) => ({ ...number(figure, value), reason }))
}

function spread(name: string, { count, medianMs, p90Ms, meanMs }: Spread): Line[] {
  const hours = (figure: string, ms: number | null): Line => ({
    figure,
    value: ms === null ? null : round(ms / hourMs, 6),
    unit: 'hours',
  })
  return [
    number(`${name}_measured`, count),
    hours(`${name}_median`, medianMs),
    hours(`${name}_p90`, p90Ms),
    hours(`${name}_mean`, meanMs),
  ]
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
