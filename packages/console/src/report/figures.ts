import type { Figures } from './report.ts'
import { shareOf, spreadOf } from './spread.ts'
import type { Tally } from './tally.ts'

/** The figures of a tally. */
export function figuresOf(tally: Tally): Figures {
  const of = (what: string) => tally.counts.get(what) ?? 0
  const spread = (what: string) => spreadOf(tally.durations.get(what) ?? [])
  const turnaround = (what: string) => {
    const told = spread(what)
    return {
      ...told,
      within72Hours: shareOf(of(`${what}.within72Hours`), told.count),
      within7Days: shareOf(of(`${what}.within7Days`), told.count),
    }
  }
  const decided = (urgency: 'urgent' | 'standard', clock: 'within24Hours' | 'within72Hours') => {
    const told = spread(urgency)
    const [approved, denied] = [of(`${urgency}.approved`), of(`${urgency}.denied`)]
    return {
      ...told,
      approved,
      denied,
      approvedShare: shareOf(approved, approved + denied),
      withinClock: shareOf(of(`${urgency}.${clock}`), told.count),
    }
  }
  const [approved, denied] = [of('ended.approved'), of('ended.denied')]
  const [appealsApproved, appealsDenied] = [of('appeals.ended.approved'), of('appeals.ended.denied')]
  const transfers = {
    completed: of('transfers.completed'),
    failed: of('transfers.error'),
    cancelled: of('transfers.cancelled'),
  }
  return {
    resources: tally.resources,
    requested: of('requested'),
    submitted: of('submitted'),
    ended: {
      approved,
      denied,
      notRequired: of('ended.not_required'),
      notSubmitted: of('ended.not_submitted'),
      other: of('ended.other'),
      failed: of('ended.failed'),
      cancelled: of('ended.cancelled'),
    },
    approvedShare: shareOf(approved, approved + denied),
    deniedByReason: below(tally, 'denied.'),
    notSubmittedByReason: below(tally, 'not_submitted.'),
    turnaroundFromSubmission: turnaround('fromSubmission'),
    turnaroundFromRequest: turnaround('fromRequest'),
    urgent: decided('urgent', 'within24Hours'),
    standard: decided('standard', 'within72Hours'),
    waitingForPractice: spread('practice'),
    waitingForProvider: spread('provider'),
    appeals: {
      made: of('appeals.made'),
      approved: appealsApproved,
      denied: appealsDenied,
      endedOtherwise: sum(Object.values(below(tally, 'appeals.ended.'))) - appealsApproved - appealsDenied,
      approvedShare: shareOf(appealsApproved, appealsApproved + appealsDenied),
    },
    transfers: {
      ...transfers,
      completedShare: shareOf(transfers.completed, sum(Object.values(transfers))),
      time: spread('transfer'),
    },
    verifications: {
      requested: of('verifications.requested'),
      completed: of('verifications.completed'),
      failed: of('verifications.failed'),
      cancelled: of('verifications.cancelled'),
      turnaround: spread('verification'),
    },
  }
}

/** The counts whose name starts with `start`, by the rest of the name, most frequent first. */
function below({ counts }: Tally, start: string): Record<string, number> {
  const found = [...counts]
    .filter(([what]) => what.startsWith(start))
    .map(([what, number]): [string, number] => [what.slice(start.length), number])
  return Object.fromEntries(found.toSorted(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
