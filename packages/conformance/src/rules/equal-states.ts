import type { HandlerRun } from '../handler-runs.ts'
import { differenceBetween } from '../difference-between.ts'
import type { Observations } from '../observations.ts'
import { type Course, coursesOf } from './courses.ts'
import { dependsOnOrder, unknownTakenForClear, unknownTakenForNo } from './told-findings.ts'
import { keptWithAppeal } from './appeal-chains.ts'
import { leftOutItems } from './left-out-items.ts'
import { foundInNothing, unknownUnlikeOther, unlikeCases } from './like-cases.ts'
import { keptTooLong, unlikeRecords, unlikeTasks } from './linked-cases.ts'
import { openForOther, otherResultTold, unknownTakenForApproval } from './named-results.ts'
import { openForCancelled, waitingWithoutTask } from './open-tasks.ts'
import { isDropped, type OwnEffect, ownEffectsOf } from './own-effects.ts'
import { passUnless, type Rule } from './rule.ts'
import { chartAgain, returnsIn, visitEnds } from './second-visits.ts'
import { costLeftBehind, leftBehind, openForNothing } from './stale-records.ts'
import { undoneWrites } from './undone-writes.ts'
import { approvalForgotten, takenForEnd, toldOtherwise } from './unknown-states.ts'
import { chartWritesOf } from './writes.ts'

/** A status that comes again finds the same records as the first time, and brings the same effects. */
export const equalStates: Rule = {
  id: 'equal-states',
  title: 'Equal states leave equal records',
  judge(seen) {
    const effects = ownEffectsOf(seen)
    const writes = chartWritesOf(seen.calls).filter(({ isDone }) => isDone)
    const courses = coursesOf(seen)
    return passUnless([
      // The last look at all may make up for what was left behind until then.
      ...courses.flatMap((course) => staleRecords(untilLook(course, seen), effects, seen)),
      ...courses.flatMap((course) => [
        ...chartAgain(course, writes, seen),
        ...recordsAgain(course, effects, seen),
        ...staleRecords(course, effects, seen),
        ...effectsAgain(course, effects, seen),
        ...leftBehind(course, { effects, writes, seen }),
        ...costLeftBehind(course, { effects, writes, seen }),
        ...openForNothing(course, writes, seen),
      ]),
      ...toldOfOthers(courses, effects, seen),
      ...leftOutItems(courses, { effects, writes, seen }),
      ...unlikeCases(seen),
      ...unknownUnlikeOther(seen),
      ...foundInNothing(seen),
      ...takenForEnd(seen),
      ...toldOtherwise(seen),
      ...approvalForgotten(seen),
      ...dependsOnOrder(seen),
      ...unknownTakenForClear(seen),
      ...unknownTakenForNo(seen),
      ...unlikeTasks(seen),
      ...unlikeRecords(seen),
      ...keptTooLong(seen),
      ...openForCancelled(seen),
      ...waitingWithoutTask(seen),
      ...undoneWrites(seen),
      ...openForOther(seen),
      ...otherResultTold(courses, { effects, writes, seen }),
      ...unknownTakenForApproval(seen),
      ...keptWithAppeal(seen),
    ])
  },
}

/** Its runs before all was looked at again. */
function untilLook(course: Course, { lookedAgainAt = Infinity }: Observations): Course {
  return course.filter(({ beganAt }) => beganAt < lookedAgainAt)
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

/** Whether the status alone brought this run. */
function isMove({ changed }: HandlerRun): boolean {
  return changed?.every((name) => moving.has(name)) === true
}

/** Last writes of a handler's records in own systems at a time, by system and record. */
function heldAt(course: Course, effects: readonly OwnEffect[], time: number): Map<string, OwnEffect> {
  const held = new Map<string, OwnEffect>()
  for (const effect of effects) {
    const { run, isTaken, isRepeatable, startedAt, system, record } = effect
    if (isTaken && isRepeatable && startedAt <= time && course.includes(run)) held.set(`${system} ${record}`, effect)
  }
  return held
}

/** Finds records of own systems whose `status` was right when it was put, and is no longer. */
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

/** Finds records of own systems that say less when a status came again. */
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
      return [`${labels.get(resource)}: ${handler} left ${one.system} another record${where} when ${status} came again`]
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

/** Finds effects of a move that the same move did not bring again. */
function effectsAgain(course: Course, effects: readonly OwnEffect[], { labels }: Observations): string[] {
  const entries = entriesOf(course, effects)
  return entries.flatMap(({ run, effects: brought }, at) => {
    if (!isMove(run)) return []
    const later = entries.slice(at + 1).filter((entry) => entry.run.status === run.status)
    return brought.flatMap((effect) => {
      if (effect.isRepeatable) return []
      const isByStatus = effect.once?.includes(run.status) === true
      // With a key that does not name the status, it is meant to come once in the life of a resource.
      if (effect.once !== undefined && !isByStatus) return []
      const again = later.find((entry) => isByStatus || entry.run.from === run.from)
      const isSame = (other: OwnEffect) =>
        other.place === effect.place && says(other, effect) && !isDropped(other, effects)
      if (again === undefined || again.effects.some(isSame)) return []
      return [
        `${labels.get(run.resource)}: ${run.handler} told ${effect.system} of the first ${run.status}, and not when it came again`,
      ]
    })
  })
}

/** Finds records of own systems that lack the status in the end, though those of other cases in the same state have it. */
function toldOfOthers(courses: readonly Course[], effects: readonly OwnEffect[], seen: Observations): string[] {
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
          `${labels.get(run.resource)}: ${run.handler} did not tell ${system} that it is ${run.status}, as it did of ${labels.get(other.resource)}`,
        ]
  })
}
