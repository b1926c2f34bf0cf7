import { describeRequest } from '../describe-request.ts'
import type { HandlerRun } from '../handler-runs.ts'
import { differenceBetween } from '../difference-between.ts'
import type { Observations } from '../observations.ts'
import { type Course, coursesOf } from './courses.ts'
import { dependsOnOrder, unknownTakenForNoPa, unknownTakenForNotCovered } from './told-findings.ts'
import { storedUnderAppeal } from './appeal-chains.ts'
import { lastDayLeftBehind } from './last-days.ts'
import { leftOutItems } from './left-out-items.ts'
import { cancelledLikeFindings, unknownUnlikeOther, unlikeCases } from './like-cases.ts'
import { staleStatusOfOther, unlikeRecords, unlikeTasks } from './linked-cases.ts'
import { openForOther, resultLeftAlone, wrongResultNamed, unknownTakenForApproval } from './named-results.ts'
import { openForCancelled, waitingWithoutTask } from './open-tasks.ts'
import { isAdoption, isDropped, type OwnEffect, ownEffectsOf } from './own-effects.ts'
import { passUnless, type Rule } from './rule.ts'
import { chartAgain, returnsIn, visitEnds } from './second-visits.ts'
import { costLeftBehind, leftBehind, openForPassedStatus } from './stale-records.ts'
import { undoneWrites } from './undone-writes.ts'
import { approvalTaskEnded, unknownTakenForEnd, endReportedDifferently } from './unknown-states.ts'
import { chartWritesOf } from './writes.ts'

/** Re-entering a status yields the same records and the same effects. */
export const equalStates: Rule = {
  id: 'equal-states',
  title: 'Equal states leave equal records',
  judge(seen) {
    const effects = ownEffectsOf(seen)
    const writes = chartWritesOf(seen.calls).filter(({ isDone }) => isDone)
    const courses = coursesOf(seen)
    return passUnless([
      // The final sync may repair a record that was stale until then.
      ...courses.flatMap((course) => staleRecords(beforeFinalSync(course, seen), effects, seen)),
      ...courses.flatMap((course) => [
        ...chartAgain(course, writes, seen),
        ...recordsAgain(course, effects, seen),
        ...staleRecords(course, effects, seen),
        ...effectsAgain(course, effects, seen),
        ...leftBehind(course, { effects, writes, seen }),
        ...costLeftBehind(course, { effects, writes, seen }),
        ...lastDayLeftBehind(course, { effects, writes, seen }),
        ...openForPassedStatus(course, writes, seen),
      ]),
      ...statusMissing(courses, effects, seen),
      ...leftOutItems(courses, { effects, writes, seen }),
      ...unlikeCases(seen),
      ...unknownUnlikeOther(seen),
      ...cancelledLikeFindings(seen),
      ...unknownTakenForEnd(seen),
      ...endReportedDifferently(seen),
      ...approvalTaskEnded(seen),
      ...dependsOnOrder(seen),
      ...unknownTakenForNoPa(seen),
      ...unknownTakenForNotCovered(seen),
      ...unlikeTasks(seen),
      ...unlikeRecords(seen),
      ...staleStatusOfOther(seen),
      ...openForCancelled(seen),
      ...waitingWithoutTask(seen),
      ...undoneWrites(seen),
      ...openForOther(seen),
      ...wrongResultNamed(courses, { effects, writes, seen }),
      ...unknownTakenForApproval(seen),
      ...resultLeftAlone(seen),
      ...storedUnderAppeal(seen),
    ])
  },
}

/** Its runs before the final sync. */
function beforeFinalSync(course: Course, { finalSyncAt = Infinity }: Observations): Course {
  return course.filter(({ beganAt }) => beganAt < finalSyncAt)
}

/** Fields that follow the status. */
const moving: ReadonlySet<string> = new Set([
  'status',
  'outcome',
  'submitted_by',
  'reviewed_by',
  'updated_at',
  'eligibility_check_response',
])

/** Whether a status change alone caused this run. */
function isMove({ changed }: HandlerRun): boolean {
  return changed?.every((name) => moving.has(name)) === true
}

/** The last writes at a time to the records in own systems that a handler wrote for a resource, by system and record. Other handlers may write them, too. */
function heldAt(course: Course, effects: readonly OwnEffect[], time: number): Map<string, OwnEffect> {
  const held = new Map<string, OwnEffect>()
  const own = new Set<string>()
  for (const effect of effects) {
    const { run, isTaken, isRepeatable, startedAt, system, record } = effect
    if (!isTaken || !isRepeatable || startedAt > time || run.resource !== course[0]?.resource) continue
    const key = `${system} ${record}`
    held.set(key, effect)
    if (course.includes(run)) own.add(key)
  }
  return new Map([...held].filter(([key]) => own.has(key)))
}

/** Finds records of own systems whose `status` was right when written and is no longer. */
function staleRecords(course: Course, effects: readonly OwnEffect[], { labels }: Observations): string[] {
  return visitEnds(course).flatMap((end) =>
    [...heldAt(course, effects, end.endedAt).values()].flatMap(({ run, system, content }) => {
      const said = [...content.matchAll(/"(?:status|state)":"(\w+)"/g)].map(([, status]) => status)
      if (!said.includes(run.status) || said.includes(end.status)) return []
      const { handler, resource, status } = end
      return [
        `${labels.get(resource)}: ${handler} left ${system} a record that says ${run.status} when it was ${status}`,
      ]
    }),
  )
}

/** Finds records of own systems that say less at the second visit of a status. */
function recordsAgain(course: Course, effects: readonly OwnEffect[], { labels }: Observations): string[] {
  return returnsIn(course).flatMap(({ first, again, between }) => {
    const isPure = between.every(isMove)
    const second = heldAt(course, effects, again.endedAt)
    return [...heldAt(course, effects, first.endedAt)].flatMap(([key, one]) => {
      const other = second.get(key)
      const isSame = isPure ? says(other, one) : !one.content.includes(first.status) || mentions(other, first.status)
      if (isSame) return []
      const where = differenceBetween(one.content, other?.content ?? '')
      const { handler, resource, status } = first
      return [`${labels.get(resource)}: ${handler} left ${one.system} another record${where} at the second ${status}`]
    })
  })
}

const mentions = (effect: OwnEffect | undefined, word: string) => effect?.content.includes(word) === true

/** Whether it says all that the other says, apart from numbers, times and ids. */
function says(effect: OwnEffect | undefined, other: OwnEffect): boolean {
  const said = new Set(wordsOf(effect))
  return wordsOf(other).every((word) => said.has(word))
}

function wordsOf(effect: OwnEffect | undefined): string[] {
  if (effect === undefined) return []
  const [method = ''] = effect.place.split(' ')
  return `${method} ${effect.content}`
    .split(/\W+/)
    .filter((word) => /^[a-z_]{3,}$/i.test(word) && !/^[a-f]+$/i.test(word))
}

/** Effects of one change of a resource, over all runs until one succeeded. */
interface Entry {
  run: HandlerRun
  effects: readonly OwnEffect[]
}

function entriesOf(course: Course, effects: readonly OwnEffect[]): Entry[] {
  const entries: Entry[] = []
  let begun: OwnEffect[] = []
  for (const run of course) {
    begun = [...begun, ...effects.filter((each) => each.run === run && each.isConfirmed)]
    if (!run.isDone) continue
    entries.push({ run, effects: begun })
    begun = []
  }
  return entries.filter(({ run }) => run.from !== undefined && run.from !== run.status)
}

/** Finds effects of a move that were missing when the same move recurred. */
function effectsAgain(course: Course, effects: readonly OwnEffect[], { labels }: Observations): string[] {
  const entries = entriesOf(course, effects)
  return entries.flatMap(({ run, effects: brought }, at) => {
    if (!isMove(run)) return []
    // A process that is killed may lose the result of a run, which is then repeated.
    const left = entries.findIndex((entry, index) => index > at && entry.run.status !== run.status)
    const later = left === -1 ? [] : entries.slice(left).filter((entry) => entry.run.status === run.status)
    return brought.flatMap((effect) => {
      if (effect.isRepeatable) return []
      const isByStatus = effect.once?.includes(run.status) === true
      // Under a `once` key without the status, the effect is meant once per resource.
      if (effect.once !== undefined && !isByStatus) return []
      const again = later.find((entry) => isByStatus || entry.run.from === run.from)
      const isSame = (other: OwnEffect) =>
        isAdoption(other, effect) || (other.place === effect.place && says(other, effect) && !isDropped(other, effects))
      if (again === undefined || again.effects.some(isSame)) return []
      return [
        `${labels.get(run.resource)}: ${run.handler} sent the ${describeRequest(effect)} at the first ${run.status}, and not at the second`,
      ]
    })
  })
}

/** Finds records of own systems that lack the final status, although those of other cases in the same state have it. */
function statusMissing(courses: readonly Course[], effects: readonly OwnEffect[], seen: Observations): string[] {
  const { labels, unfinished } = seen
  const saying = new Map<string, HandlerRun>()
  const silent: { key: string; run: HandlerRun; system: string }[] = []
  for (const course of courses) {
    const run = course.findLast(({ isDone }) => isDone)
    if (run === undefined || unfinished.some(({ id }) => id === run.resource)) continue
    for (const effect of heldAt(course, effects, run.endedAt).values()) {
      const kind = effect.record.replace(run.resource, '#').replaceAll(/\w*\d\w*/g, '#')
      const key = [run.handler, effect.system, kind, ...run.words].join(' ')
      if (mentions(effect, run.status)) saying.set(key, run)
      else silent.push({ key, run, system: effect.system })
    }
  }
  return silent.flatMap(({ key, run, system }) => {
    const other = saying.get(key)
    return other === undefined
      ? []
      : [
          `${labels.get(run.resource)}: ${run.handler} did not report ${run.status} to ${system}, as it did for ${labels.get(other.resource)}`,
        ]
  })
}
