import { ago, count } from '@pawl/base/pages/words'
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

/** The lines of one topic. */
export interface Section {
  title: string
  lines: readonly Line[]
}

/** All figures by topic, in display order. */
export function sectionsOf(figures: Figures): Section[] {
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
    { title: 'All', lines: [number('resources', figures.resources)] },
    {
      title: 'Prior authorizations',
      lines: [
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
      ],
    },
    {
      title: 'Reasons',
      lines: [
        ...reasons('denied_by_reason', figures.deniedByReason),
        ...reasons('not_submitted_by_reason', figures.notSubmittedByReason),
      ],
    },
    {
      title: 'Turnaround of approvals and denials',
      lines: [
        ...turnaround('turnaround_from_submission', figures.turnaroundFromSubmission),
        ...turnaround('turnaround_from_request', figures.turnaroundFromRequest),
      ],
    },
    { title: 'Urgent requests, from submission', lines: decided('urgent', 24, figures.urgent) },
    { title: 'Standard requests, from submission', lines: decided('standard', 72, figures.standard) },
    {
      title: 'Time spent waiting for people',
      lines: [
        ...spread('waiting_for_practice', figures.waitingForPractice),
        ...spread('waiting_for_provider', figures.waitingForProvider),
      ],
    },
    {
      title: 'Appeals',
      lines: [
        number('appeals_made', appeals.made),
        number('appeals_approved', appeals.approved),
        number('appeals_denied', appeals.denied),
        number('appeals_ended_otherwise', appeals.endedOtherwise),
        share('appeals_approved_share', appeals.approvedShare),
      ],
    },
    {
      title: 'Prescription transfers',
      lines: [
        number('transfers_completed', transfers.completed),
        number('transfers_failed', transfers.failed),
        number('transfers_cancelled', transfers.cancelled),
        share('transfers_completed_share', transfers.completedShare),
        ...spread('transfer_time', transfers.time),
      ],
    },
    {
      title: 'Benefit verifications',
      lines: [
        number('verifications_requested', verifications.requested),
        number('verifications_completed', verifications.completed),
        number('verifications_failed', verifications.failed),
        number('verifications_cancelled', verifications.cancelled),
        ...spread('verification_turnaround', verifications.turnaround),
      ],
    },
  ]
}

/** All figures, in display order. */
export function linesOf(figures: Figures): Line[] {
  return sectionsOf(figures).flatMap(({ lines }) => lines)
}

/** Words for the last part of a figure's name. */
const partWords: readonly [part: RegExp, words: string][] = [
  [/^resources$/, 'Prior authorizations and benefit verifications'],
  [/_measured$/, ', how many were measured'],
  [/_median$/, ': half took no longer than'],
  [/_p90$/, ': 90 % took no longer than'],
  [/_mean$/, ', on average'],
  [/_approved_share$/, ', share approved'],
  [/_completed_share$/, ', share completed'],
  [/^approved_share$/, 'share approved'],
]

/** Name of a figure on a page, such as "Turnaround from submission: half took no longer than". */
export function titleOf(line: Line): string {
  const figure = partWords.reduce((name, [part, words]) => name.replace(part, words), line.figure)
  const words = nameOf({ ...line, figure })
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Name of a figure in a terminal, such as "denied by reason: plan_exclusion". */
export function nameOf({ figure, reason }: Line): string {
  return `${figure.replaceAll('_', ' ')}${reason === undefined ? '' : `: ${reason}`}`
}

/** Value of a figure for people, such as "85.7 %" or "5.4 min". */
export function valueOf({ value, unit }: Pick<Line, 'value' | 'unit'>): string {
  if (value === null) return '–'
  if (unit === 'share') return `${round(value * 100, 1)} %`
  if (unit === 'resources') return count(value)
  if (value > 0 && value < 1 / 60) return `${round(value * 3_600, 1)} s`
  if (value > 0 && value < 1) return `${round(value * 60, 1)} min`
  return value < 48 ? `${round(value, 1)} h` : `${round(value / 24, 1)} d`
}

/** How far the figures are behind the work, for people. */
export const sayBehind = (behindMs: number) => `Counted up to ${ago(behindMs)}: what came since follows.`

/** The columns of a group: titles, and the figures that they show. */
const groupColumns: readonly [title: string, figure: string][] = [
  ['resources', 'resources'],
  ['submitted', 'submitted'],
  ['approved', 'approved'],
  ['denied', 'denied'],
  ['approved share', 'approved_share'],
  ['median turnaround', 'turnaround_from_submission_median'],
]

/** Titles of the columns of a group. */
export const groupTitles = groupColumns.map(([title]) => title)

/** The main figures of a group, for people, in the order of `groupTitles`. */
export function groupCells(figures: Figures): string[] {
  const lines = linesOf(figures)
  return groupColumns.map(([, wanted]) => {
    const line = lines.find(({ figure }) => figure === wanted)
    return line === undefined ? '' : valueOf(line)
  })
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
