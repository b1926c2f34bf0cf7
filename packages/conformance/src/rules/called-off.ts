import { z } from 'zod'
import { parseJson } from '@pawl/base/parse-json'
import { isApproved, isUnneeded } from 'pawl-client/schemas/outcome'
import type { Observations } from '../observations.ts'
import { unknownStatus } from '../truth-book.ts'
import { serviceEffectsOf } from './own-effects.ts'
import { chartWritesOf } from './writes.ts'

/** Finds cancellations at the service caused by an unknown state alone, made while another outreach attempt was open, or of needless PAs' transfers by a handler that keeps those of approved PAs. */
export function cancelledWrongly(seen: Observations): string[] {
  const cancelled = serviceEffectsOf(seen).filter(({ place, isTaken }) => isTaken && /\/cancel\b/.test(place))
  return cancelled.flatMap(({ run, place }) => {
    const { handler, resource, words, changed = [] } = run
    const about = `${seen.labels.get(resource)}: ${handler} cancelled`
    const isUnknown = words[0] === unknownStatus || words[3] === unknownStatus
    const isNews = changed.length > 0 && changed.every((name) => ofTheState.has(name))
    if (isUnknown && isNews) return [`${about} a case in an unknown state`]
    const id = seen.linked.get(resource)
    const attempts = [...seen.linked].filter(([each, to]) => to === id && each !== resource && isAttempt(each, seen))
    const isLast = attempts.every(([each]) => hasEnded(each, run.beganAt, seen))
    if (id !== undefined && isAttempt(resource, seen) && place.includes(id) && !isLast)
      return [`${about} ${seen.labels.get(id)} while another outreach attempt was under way`]
    const outcome = { result: words[1], detail_code: words[2] }
    const isOfApproved = cancelled.some(
      (each) => each.run.handler === handler && isApproved({ result: each.run.words[1] }),
    )
    const hasRun = seen.runs.some(
      (each) => each.handler === handler && isApproved({ result: each.words[1] }) && each.words[3] === words[3],
    )
    if (words[0] === 'completed' && isUnneeded(outcome) && /transfer/.test(place) && hasRun && !isOfApproved)
      return [`${about} the transfer of a PA that needs no authorization`]
    return []
  })
}

/** Finds tasks that a handler ended only because one outreach attempt got no answer, while another attempt for the PA was under way. */
export function taskEndedByOneAttempt(seen: Observations): string[] {
  const open = new Map<string, string>()
  return chartWritesOf(seen.calls).flatMap(({ call, stored, held, resource }) => {
    const run = seen.runOf(call)
    const { status } = { ...held } as { status?: string }
    if (stored === undefined || run === undefined || !stored.startsWith('Task/')) return []
    const opener = open.get(stored)
    if (status !== 'completed' && status !== 'cancelled') open.set(stored, run.handler)
    else open.delete(stored)
    const id = seen.linked.get(run.resource)
    const isEnd = opener === run.handler && !open.has(stored) && isAttempt(run.resource, seen)
    if (!isEnd || id === undefined || !unanswered.has(run.status)) return []
    // The task belongs to this attempt, or another task replaces it.
    if (JSON.stringify(resource?.identifier ?? []).includes(run.resource)) return []
    if (chartWritesOf(seen.calls).some((each) => each.call !== call && seen.runOf(each.call) === run && each.isDone))
      return []
    const others = [...seen.linked].filter(([each, to]) => to === id && each !== run.resource && isAttempt(each, seen))
    if (others.every(([each]) => hasEnded(each, run.beganAt, seen))) return []
    return [
      `${seen.labels.get(run.resource)}: ${run.handler} ended a task of ${seen.labels.get(id)} while another outreach attempt was under way`,
    ]
  })
}

const unanswered: ReadonlySet<string> = new Set(['failed', 'expired'])

const ofTheState: ReadonlySet<string> = new Set([
  'status',
  'outcome',
  'submitted_by',
  'reviewed_by',
  'updated_at',
  'prescription_transfer',
  'unknownFields',
  'sandbox_extra',
])

const isAttempt = (id: string, { labels }: Observations) => labels.get(id)?.startsWith('outreach') === true

/** Whether a run had seen the attempt end before. */
function hasEnded(id: string, at: number, { runs }: Observations): boolean {
  return runs.some(({ resource, status, beganAt }) => resource === id && beganAt < at && ended.has(status))
}

const ended: ReadonlySet<string> = new Set(['responded', 'expired', 'failed', 'cancelled'])

const Appeal = z.looseObject({
  appeal_details: z.looseObject({}),
  resubmission_info: z.looseObject({ previous_prior_auth_request_id: z.string() }),
})

/** Finds appeals that one handler filed twice against one denial. */
export function appealedTwice(seen: Observations): string[] {
  const known = new Set<string>()
  return serviceEffectsOf(seen).flatMap(({ run, content, isTaken }) => {
    const appeal = Appeal.safeParse(parseJson(content)).data
    if (appeal === undefined || !isTaken) return []
    const key = `${run.handler} ${appeal.resubmission_info.previous_prior_auth_request_id}`
    if (known.has(key)) return [`${seen.labels.get(run.resource)}: ${run.handler} appealed against one denial twice`]
    known.add(key)
    return []
  })
}
