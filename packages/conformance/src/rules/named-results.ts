import { isApproved } from 'pawl-client/schemas/outcome'
import { decoded } from '../canary-search.ts'
import type { HandlerRun } from '../handler-runs.ts'
import type { Observations } from '../observations.ts'
import { unknownStatus } from '../truth-book.ts'
import { type Course, coursesOf } from './courses.ts'
import { actsIn, leftIn } from './like-cases.ts'
import { type OwnEffect, ownEffectsOf } from './own-effects.ts'
import { heldAt, writtenIn } from './stale-records.ts'
import { type ChartWrite, chartWritesOf } from './writes.ts'
import { namesDay } from './written-days.ts'

/** Words for a result, in tasks and records. */
const words = { approved: /\bapprov(?:ed|al)\b/i, denied: /\bdenied\b/i } as const
type Result = keyof typeof words

function resultOf({ words: [status, result = ''] }: HandlerRun): Result | 'another' | undefined {
  if (status !== 'completed' || result === '') return undefined
  if (isApproved({ result })) return 'approved'
  return result === 'Denied' ? 'denied' : 'another'
}

/** Finds tasks that a handler opened for a result that the PA did not have then. */
export function openForOther(seen: Observations): string[] {
  return chartWritesOf(seen.calls).flatMap(({ call, held, isDone }) => {
    const run = seen.runOf(call)
    const reason = held?.businessStatus?.text ?? ''
    const { status } = { ...held } as { status?: string }
    if (run === undefined || !isDone || held?.resourceType !== 'Task' || status !== 'requested') return []
    const result = resultOf(run)
    if (!(reason in words) || result === undefined || result === reason || run.status !== 'completed') return []
    return [`${seen.labels.get(run.resource)}: ${run.handler} opened a task for ${reason}, which was not its result`]
  })
}

/** Finds records that name another result than their case has, although records of other cases name theirs. */
export function wrongResultNamed(
  courses: readonly Course[],
  given: { effects: readonly OwnEffect[]; writes: readonly ChartWrite[]; seen: Observations },
): string[] {
  const said = courses.flatMap((course) => {
    const run = course.findLast(({ isDone }) => isDone)
    const result = run && resultOf(run)
    if (run === undefined || result === undefined || result === 'another') return []
    return heldAt(writtenIn(course, given), run.endedAt).flatMap(({ record, system, texts, run: writer }) => {
      // A key may have any name.
      const text = [...texts].flatMap(([path, each]) => (/^(?:identifier|meta|id)\b/.test(path) ? [] : each)).join('\n')
      const named = (Object.keys(words) as Result[]).filter((each) => words[each].test(text))
      const kind = record.replaceAll(/\w*\d\w*/g, '#')
      return named.length === 1 && writer.handler === run.handler
        ? [{ run, system, key: `${run.handler} ${system} ${kind} ${result}`, isRight: named[0] === result }]
        : []
    })
  })
  const right = new Map(said.flatMap(({ key, isRight, run }) => (isRight ? [[key, run] as const] : [])))
  return said.flatMap(({ run, system, key, isRight }) => {
    const other = right.get(key)
    return isRight || other === undefined
      ? []
      : [
          `${given.seen.labels.get(run.resource)}: ${run.handler} left ${system} a record with a wrong result, unlike that of ${given.seen.labels.get(other.resource)}`,
        ]
  })
}

/** Finds effects on own systems that name a result, or that a handler reserves for approvals, to which it added nothing there once the PA had another result. */
export function resultLeftAlone(seen: Observations): string[] {
  const effects = ownEffectsOf(seen)
  const own = new Set(effects)
  const acts = actsIn(seen).filter(({ effect, isConfirmed }) => effect !== undefined && own.has(effect) && isConfirmed)
  return coursesOf(seen).flatMap((course) => {
    const ofHandler = acts.filter(({ run }) => run.handler === course[0]?.handler)
    const isOfEnds = (kind: string) =>
      ofHandler.every(({ kind: other, run }) => other !== kind || resultOf(run) !== undefined)
    const isOfApprovals = (kind: string) => {
      const like = ofHandler.filter((act) => act.kind === kind)
      const isForAll = like.every(({ run }) => resultOf(run) === 'approved')
      return isForAll && new Set(like.map(({ run }) => run.resource)).size > 1
    }
    return ofHandler.flatMap(({ kind, run, what, system, content }) => {
      if (!course.includes(run) || !isOfEnds(kind)) return []
      if (!content.includes(run.words[1] ?? '') && !isOfApprovals(kind)) return []
      const later = course.filter(
        (each) => each.beganAt > run.beganAt && resultOf(each) !== resultOf(run) && hasResult(each),
      )
      const after = later.find(({ isDone }) => isDone)
      // A kill may have followed the correction.
      const since = later[0]?.beganAt ?? 0
      const isCorrected = effects.some(
        (each) => each.system === system && course.includes(each.run) && each.run.beganAt >= since,
      )
      if (after === undefined || isCorrected) return []
      return [
        `${seen.labels.get(run.resource)}: ${run.handler} sent the ${what} for ${run.words[1]}, and nothing to ${system} when the result became ${after.words[1]}`,
      ]
    })
  })
}

const hasResult = (run: HandlerRun) => resultOf(run) !== undefined

/** Finds effects reserved for approvals that followed a result which the handler cannot know. */
export function unknownTakenForApproval(seen: Observations): string[] {
  const ends = leftIn(seen).filter(({ last }) => last.words[0] === 'completed' && last.words.length > 1)
  return ends.flatMap(({ last: { handler, resource, words: said }, left }) => {
    if (said[1] !== unknownStatus) return []
    const own = ends.filter(({ last }) => last.handler === handler && last.words[1] !== unknownStatus)
    const of = (result: ReturnType<typeof resultOf>) => own.filter(({ last }) => resultOf(last) === result)
    const [approved, denied, others] = [of('approved'), of('denied'), of('another')]
    if (denied.length === 0 || others.length === 0) return []
    return [...left].flatMap(([kind, { system, state, content, run }]) => {
      // Effects of an earlier result do not count.
      const has = (end: (typeof ends)[number]) => {
        const other = end.left.get(kind)
        return other !== undefined && other.state === state && other.run.words[1] === end.last.words[1]
      }
      const isOfApprovals = approved.length > 1 && approved.every(has) && ![...denied, ...others].some(has)
      if (!isOfApprovals || run.words[1] !== unknownStatus || content.includes(unknownStatus)) return []
      // An outcome with an unknown result may have a last day.
      if (run.lastDay !== undefined && namesDay(`${content}\n${decoded(content)}`, run.lastDay)) return []
      return [
        `${seen.labels.get(resource)}: ${handler} sent ${system} for an unknown result what it sends for approvals only`,
      ]
    })
  })
}
